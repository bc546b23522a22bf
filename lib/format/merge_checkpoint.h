// The merges that a training has made so far, from which it can go on.
//
//   checkpoint := magic u64 origin u64 merges merge* u64 XXH3 of all the bytes before
//   merge      := u32 left u32 right
//
// Little-endian. Symbols 0 to 255 are the bytes, 256 + k the k-th merge, whose sides are symbols before it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tokmill {

struct MergeCheckpoint {
  static constexpr std::string_view kMagic = "TOKMILM1";

  /// A checksum of what the merges depend on: the words and the options.
  std::uint64_t origin = 0;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> merges;  // (left, right)

  std::string to_bytes() const;
  /// Throws Error for anything that `to_bytes` cannot have made; `path` is for errors.
  static MergeCheckpoint parse(std::string_view bytes, const std::string& path);
};

}  // namespace tokmill
