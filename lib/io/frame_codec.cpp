#include "io/frame_codec.h"

#define ZSTD_STATIC_LINKING_ONLY  // for ZSTD_c_literalCompressionMode
#include <zstd.h>

#include <utility>

#include "io/error.h"

namespace tokmill {

void FrameCompressor::Free::operator()(ZSTD_CCtx* context) const {
  ZSTD_freeCCtx(context);
}

void FrameDecompressor::Free::operator()(ZSTD_DCtx* context) const {
  ZSTD_freeDCtx(context);
}

FrameCompressor::FrameCompressor(std::string path, int level, bool checksummed)
    : path_(std::move(path)), context_(ZSTD_createCCtx()) {
  ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, level);
  ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, checksummed);
  ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_literalCompressionMode, ZSTD_ps_enable);
}

std::string_view FrameCompressor::compress(std::string_view plain) {
  const std::size_t most = ZSTD_compressBound(plain.size());
  if (frame_.size() < most) frame_.resize(most);
  const std::size_t size =
      ZSTD_compress2(context_.get(), frame_.data(), frame_.size(), plain.data(), plain.size());
  if (ZSTD_isError(size)) throw Error::at(path_, std::string("zstd: ") + ZSTD_getErrorName(size));
  return {frame_.data(), size};
}

FrameDecompressor::FrameDecompressor() : context_(ZSTD_createDCtx()) {}

bool FrameDecompressor::holds(std::string_view frame, std::size_t plain_size) {
  return ZSTD_getFrameContentSize(frame.data(), frame.size()) == plain_size;
}

const char* FrameDecompressor::decompress(std::string_view frame, char* plain, std::size_t plain_size) {
  const std::size_t size = ZSTD_decompressDCtx(context_.get(), plain, plain_size, frame.data(), frame.size());
  if (ZSTD_isError(size)) return ZSTD_getErrorName(size);
  return size == plain_size ? nullptr : "it holds less than it says";
}

}  // namespace tokmill
