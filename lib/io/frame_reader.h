// Reads a file of zstd frames with a seek table (see frame_format.h) at any frame.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/error.h"
#include "io/file.h"
#include "io/frame_codec.h"

namespace tokmill {

/// Random access by frame. Every read checks the frame's size and checksum; damage is an Error that names
/// the file and the offset.
class FrameReader {
 public:
  struct Frame {
    std::uint64_t offset;        // in the file
    std::uint64_t plain_offset;  // in the plain bytes
    std::uint32_t size;
    std::uint32_t plain_size;
    std::uint32_t checksum;
  };

  explicit FrameReader(const std::string& path);

  const std::vector<Frame>& frames() const { return frames_; }
  std::uint64_t plain_size() const;
  /// A frame as it is stored, with its checksum compared to the seek table's; valid until the next call.
  std::string_view read_stored(std::size_t frame);
  /// The plain bytes of a frame; valid until the next call.
  std::string_view read(std::size_t frame);

 private:
  Error damaged(std::size_t frame, const std::string& what) const;

  File file_;
  FrameDecompressor decompressor_;
  std::vector<Frame> frames_;
  std::string compressed_;
  std::string plain_;
};

}  // namespace tokmill
