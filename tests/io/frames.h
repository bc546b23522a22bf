// What the tests of framed files share: texts that compress well and badly, and zstd's own way to read a
// file.
#pragma once

#include <zstd.h>

#include <stdexcept>
#include <string>
#include <string_view>

#include "io/frame_reader.h"
#include "io/frame_writer.h"
#include "support.h"

namespace tokmill::test {

/// Bytes of which some stretches repeat and some are noise.
inline std::string mixed_bytes(Random& random, std::size_t size) {
  std::string out;
  while (out.size() < size) {
    const std::size_t length = random.between(1, 300);
    out +=
        random.below(2) == 0 ? random.bytes(length) : std::string(length, static_cast<char>(random.below(3)));
  }
  out.resize(size);
  return out;
}

inline void write_frames(const std::string& path, std::string_view bytes, std::uint32_t frame_size,
                         int level = frame_format::kDefaultLevel) {
  FrameWriter writer(path, level, frame_size);
  writer.append(bytes);
  writer.commit();
}

/// All frames, read in order.
inline std::string read_frames(const std::string& path) {
  FrameReader reader(path);
  std::string out;
  for (std::size_t i = 0; i < reader.frames().size(); ++i) out += reader.read(i);
  return out;
}

/// The plain bytes of any zstd file, as `zstd -d` gives them.
inline std::string stock_decompress(std::string_view file) {
  ZSTD_DStream* const stream = ZSTD_createDStream();
  ZSTD_inBuffer in{file.data(), file.size(), 0};
  std::string out;
  std::size_t rest = 0;
  while (in.pos < in.size) {
    char piece[1000];
    ZSTD_outBuffer to{piece, sizeof piece, 0};
    rest = ZSTD_decompressStream(stream, &to, &in);
    if (ZSTD_isError(rest)) break;
    out.append(piece, to.pos);
    while (rest != 0 && in.pos == in.size && to.pos == to.size) {  // output that is still held back
      to.pos = 0;
      rest = ZSTD_decompressStream(stream, &to, &in);
      if (ZSTD_isError(rest)) break;
      out.append(piece, to.pos);
    }
  }
  ZSTD_freeDStream(stream);
  if (rest != 0) throw std::runtime_error("zstd cannot read the file");
  return out;
}

}  // namespace tokmill::test
