// Single zstd frames.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace tokmill {

/// Compresses bytes to frames, one after the other. Levels are zstd's, but below 0, too, literals are coded:
/// zstd itself would leave them as they are. Ids and words are mostly that, and to code them costs little; on
/// the ids of English level -2 so is smaller and faster than level 1.
class FrameCompressor {
 public:
  /// For frames of the file `path`, which errors name. `checksummed` frames end with a checksum of their
  /// content.
  FrameCompressor(std::string path, int level, bool checksummed);

  /// A frame; valid until the next call. Throws Error where memory is too little for the level.
  std::string_view compress(std::string_view plain);

 private:
  struct Free {
    void operator()(ZSTD_CCtx_s* context) const;
  };
  std::string path_;
  std::unique_ptr<ZSTD_CCtx_s, Free> context_;
  std::string frame_;
};

/// Reads frames of known size.
class FrameDecompressor {
 public:
  FrameDecompressor();

  /// Whether a frame says that it holds so many bytes: to be asked before memory is given.
  static bool holds(std::string_view frame, std::size_t plain_size);
  /// Fills `plain` from a frame that holds so many bytes. nullptr if all is well, else what is not.
  const char* decompress(std::string_view frame, char* plain, std::size_t plain_size);

 private:
  struct Free {
    void operator()(ZSTD_DCtx_s* context) const;
  };
  std::unique_ptr<ZSTD_DCtx_s, Free> context_;
};

}  // namespace tokmill
