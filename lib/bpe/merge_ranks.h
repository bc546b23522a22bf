// Which pairs of tokens merge, how soon, and into what.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "format/tokenizer_model.h"

namespace tokmill {

/// A read-only hash table (left id, right id) -> (rank, merged id), and the ids of the single bytes.
class MergeRanks {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  struct Merge {
    std::uint32_t rank;  // kNone: the pair does not merge
    std::uint32_t result;
  };

  explicit MergeRanks(const TokenizerModel& model);

  Merge find(std::uint32_t left, std::uint32_t right) const {
    const std::uint64_t key = std::uint64_t{left} << 32 | right;
    for (std::size_t i = home(key);; i = (i + 1) & mask_) {
      if (slots_[i].key == key) return slots_[i].merge;
      if (slots_[i].key == kFree) return {kNone, kNone};
    }
  }
  /// The id of a byte on its own, or kNone where the vocabulary cannot spell it.
  std::uint32_t id_of_byte(unsigned char byte) const { return byte_ids_[byte]; }

 private:
  static constexpr std::uint64_t kFree = UINT64_MAX;
  struct Slot {
    std::uint64_t key = kFree;
    Merge merge{kNone, kNone};
  };
  std::size_t home(std::uint64_t key) const {
    return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15u) >> 32) & mask_;
  }

  std::vector<Slot> slots_;
  std::size_t mask_;
  std::array<std::uint32_t, 256> byte_ids_;
};

}  // namespace tokmill
