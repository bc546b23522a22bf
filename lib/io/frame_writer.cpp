#define ZSTD_STATIC_LINKING_ONLY  // for ZSTD_c_literalCompressionMode
#include "io/frame_writer.h"

#include "io/coding.h"
#include "io/error.h"
#include "io/frame_reader.h"

namespace tokmill {

using namespace frame_format;

FrameWriter::FrameWriter(const std::string& path, int level, std::uint32_t frame_size)
    : file_(path), context_(ZSTD_createCCtx()), frame_size_(frame_size) {
  ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, level);
  ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1);
  // Below level 0 zstd would leave what it finds no match for as it is. That is most of what ids are, and to
  // code it costs little: on English level -2 so is smaller and faster than level 1.
  ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_literalCompressionMode, ZSTD_ps_enable);
  pending_.reserve(frame_size_);
  compressed_.resize(ZSTD_compressBound(frame_size_));
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
  const std::size_t size =
      ZSTD_compress2(context_.get(), compressed_.data(), compressed_.size(), plain.data(), plain.size());
  if (ZSTD_isError(size)) throw Error::at(file_.path(), std::string("zstd: ") + ZSTD_getErrorName(size));
  add_frame({compressed_.data(), size}, static_cast<std::uint32_t>(plain.size()));
}

void FrameWriter::add_frame(std::string_view compressed, std::uint32_t plain_size) {
  put_fixed(seek_table_, static_cast<std::uint32_t>(compressed.size()));
  put_fixed(seek_table_, plain_size);
  seek_table_.append(compressed.substr(compressed.size() - 4));  // the frame ends with its checksum
  ++frames_;
  file_.append(compressed);
}

void FrameWriter::finish_frame() {
  if (!pending_.empty()) write_frame(pending_);
  pending_.clear();
}

void FrameWriter::append_frames(const std::string& path) {
  finish_frame();
  FrameReader reader(path);
  for (std::size_t i = 0; i < reader.frames().size(); ++i) {
    add_frame(reader.read_stored(i), reader.frames()[i].plain_size);
  }
}

void FrameWriter::commit() {
  finish_frame();
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
