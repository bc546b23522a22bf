// Writes a file as independent zstd frames with a seek table (see frame_format.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "io/atomic_file.h"
#include "io/frame_codec.h"
#include "io/frame_format.h"

namespace tokmill {

/// Streams bytes into frames. Memory: two frames.
class FrameWriter {
 public:
  /// `frame_size` in plain bytes; `level` as FrameCompressor has it.
  explicit FrameWriter(const std::string& path, int level = frame_format::kDefaultLevel,
                       std::uint32_t frame_size = frame_format::kDefaultFrameSize);

  void append(std::string_view bytes);
  /// Ends the frame that is being filled, if one is.
  void end_frame();
  /// Ends the frame that is being filled, and adds all frames of a file of frames as they are.
  void append_frames(const std::string& path);
  /// Writes the last frame and the seek table, and commits the file.
  void commit();

  /// Of the file as written so far, compressed.
  const AtomicFile& file() const { return file_; }

 private:
  void write_frame(std::string_view plain);
  void add_frame(std::string_view compressed, std::uint32_t plain_size);

  AtomicFile file_;
  FrameCompressor compressor_;
  std::uint32_t frame_size_;
  std::string pending_;
  std::string seek_table_;
  std::uint32_t frames_ = 0;
};

}  // namespace tokmill
