#include "io/frame_writer.h"

#include "io/coding.h"
#include "io/frame_reader.h"

namespace tokmill {

using namespace frame_format;

FrameWriter::FrameWriter(const std::string& path, int level, std::uint32_t frame_size)
    : file_(path), compressor_(path, level, true), frame_size_(frame_size) {
  pending_.reserve(frame_size_);
}

void FrameWriter::append(std::string_view bytes) {
  while (!bytes.empty()) {
    if (pending_.empty() && bytes.size() >= frame_size_) {
      write_frame(bytes.substr(0, frame_size_));
      bytes.remove_prefix(frame_size_);
      continue;
    }
    const std::size_t take = std::min<std::size_t>(bytes.size(), frame_size_ - pending_.size());
    pending_.append(bytes.substr(0, take));
    bytes.remove_prefix(take);
    if (pending_.size() == frame_size_) {
      write_frame(pending_);
      pending_.clear();
    }
  }
}

void FrameWriter::write_frame(std::string_view plain) {
  add_frame(compressor_.compress(plain), static_cast<std::uint32_t>(plain.size()));
}

void FrameWriter::add_frame(std::string_view compressed, std::uint32_t plain_size) {
  put_fixed(seek_table_, static_cast<std::uint32_t>(compressed.size()));
  put_fixed(seek_table_, plain_size);
  seek_table_.append(compressed.substr(compressed.size() - 4));  // the frame ends with its checksum
  ++frames_;
  file_.append(compressed);
}

void FrameWriter::end_frame() {
  if (!pending_.empty()) write_frame(pending_);
  pending_.clear();
}

void FrameWriter::append_frames(const std::string& path) {
  end_frame();
  FrameReader reader(path);
  for (std::size_t i = 0; i < reader.frames().size(); ++i) {
    add_frame(reader.read_stored(i), reader.frames()[i].plain_size);
  }
}

void FrameWriter::commit() {
  end_frame();
  std::string table;
  put_fixed(table, kSkippableMagic);
  put_fixed(table, static_cast<std::uint32_t>(seek_table_.size() + kFooterBytes));
  table += seek_table_;
  put_fixed(table, frames_);
  put_fixed(table, kHasChecksums);
  put_fixed(table, kSeekableMagic);
  file_.append(table);
  file_.commit();
}

}  // namespace tokmill
