// zstd itself compares each frame's content with the checksum at the frame's end; the seek table's copy of
// that checksum is compared here, so that a frame and a table that do not belong together are found as well.
#include "io/frame_reader.h"

#include "io/coding.h"
#include "io/error.h"
#include "io/frame_format.h"

namespace tokmill {

using namespace frame_format;

FrameReader::FrameReader(const std::string& path) : file_(path) {
  const std::uint64_t size = file_.size();
  const auto damaged = [&](const char* what) { return Error::at(path, std::string("damaged: ") + what); };
  if (size < kHeaderBytes + kFooterBytes) throw damaged("too short to hold a seek table");
  const std::string footer = file_.read_at(size - kFooterBytes, kFooterBytes);
  if (get_fixed<std::uint32_t>(footer.data() + 5) != kSeekableMagic ||
      static_cast<std::uint8_t>(footer[4]) != kHasChecksums) {
    throw damaged("no seek table at the end");
  }
  const std::uint64_t count = get_fixed<std::uint32_t>(footer.data());
  const std::uint64_t table_bytes = count * kEntryBytes;
  if (size < kHeaderBytes + table_bytes + kFooterBytes)
    throw damaged("the seek table is longer than the file");
  const std::uint64_t table_begin = size - kFooterBytes - table_bytes - kHeaderBytes;
  const std::string table = file_.read_at(table_begin, kHeaderBytes + table_bytes);
  if (get_fixed<std::uint32_t>(table.data()) != kSkippableMagic ||
      get_fixed<std::uint32_t>(table.data() + 4) != table_bytes + kFooterBytes) {
    throw damaged("the seek table does not begin where it should");
  }
  std::uint64_t offset = 0, plain_offset = 0;
  frames_.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const char* entry = table.data() + kHeaderBytes + i * kEntryBytes;
    const Frame frame{offset, plain_offset, get_fixed<std::uint32_t>(entry),
                      get_fixed<std::uint32_t>(entry + 4), get_fixed<std::uint32_t>(entry + 8)};
    frames_.push_back(frame);
    offset += frame.size;
    plain_offset += frame.plain_size;
  }
  if (offset != table_begin) throw damaged("the frames' sizes do not add up to the file's");
}

std::uint64_t FrameReader::plain_size() const {
  return frames_.empty() ? 0 : frames_.back().plain_offset + frames_.back().plain_size;
}

Error FrameReader::damaged(std::size_t index, const std::string& what) const {
  return Error::at(file_.path(), frames_[index].offset,
                   "damaged frame " + std::to_string(index) + ": " + what);
}

std::string_view FrameReader::read_stored(std::size_t index) {
  const Frame& frame = frames_.at(index);
  compressed_.resize(frame.size);
  file_.read_at(frame.offset, compressed_.data(), frame.size);
  if (frame.size < 4 || get_fixed<std::uint32_t>(compressed_.data() + frame.size - 4) != frame.checksum) {
    throw damaged(index, "its checksum is not the one in the seek table");
  }
  return compressed_;
}

std::string_view FrameReader::read(std::size_t index) {
  read_stored(index);
  const Frame& frame = frames_[index];
  if (!FrameDecompressor::holds(compressed_, frame.plain_size)) {
    throw damaged(index, "its size is not the one in the seek table");
  }
  plain_.resize(frame.plain_size);
  if (const char* wrong = decompressor_.decompress(compressed_, plain_.data(), plain_.size())) {
    throw damaged(index, wrong);
  }
  return plain_;
}

}  // namespace tokmill
