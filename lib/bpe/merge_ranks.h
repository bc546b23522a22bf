// Which pairs of tokens merge, how soon, and into what.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "format/tokenizer_model.h"

namespace tokmill {

/// A read-only hash table (left symbol, right symbol) -> rank, what each rank merges into, and the symbols of
/// the single bytes. Symbols are the tokens that merging can reach, numbered so that the table of what a rank
/// merges into is seldom needed: 0 to 255 the bytes, 256 + rank the merges. (In a vocabulary in which two
/// merges make the same token, they are the ids.) `Id` is std::uint16_t or std::uint32_t; every id of the
/// model fits into it.
template <class Id>
class MergeRanks {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  /// Ranks leave six bits free.
  static constexpr std::uint32_t kMostMerges = 1 << 26;

  explicit MergeRanks(const TokenizerModel& model);

  /// The rank of a pair, or kNone where it does not merge.
  std::uint32_t find(std::uint32_t left, std::uint32_t right) const {
    const Pair pair = pair_of(left, right);
    const Homes homes = homes_of(pair);
    // All four are looked at, without a branch to guess.
    const auto rank_in = [&](const Slot& slot) { return slot.rank | (0u - (slot.pair != pair)); };
    const Bucket& a = buckets_[homes.first];
    const Bucket& b = buckets_[homes.second];
    return rank_in(a[0]) & rank_in(a[1]) & rank_in(b[0]) & rank_in(b[1]);
  }
  /// The rank of a pair of bytes, in one look.
  std::uint32_t find_bytes(unsigned char left, unsigned char right) const {
    return byte_ranks_[left << 8 | right];
  }
  /// The symbol that a rank merges into.
  std::uint32_t result(std::uint32_t rank) const { return numbered_by_rank_ ? 256 + rank : results_[rank]; }
  /// The symbol of a byte, if the vocabulary can spell it.
  std::uint32_t symbol_of_byte(unsigned char byte) const {
    return numbered_by_rank_ ? byte : byte_ids_[byte];
  }
  /// The id of a symbol.
  Id id_of(std::uint32_t symbol) const { return numbered_by_rank_ ? ids_[symbol] : static_cast<Id>(symbol); }
  /// Whether the vocabulary has a token for a byte on its own.
  bool spells(unsigned char byte) const { return byte_ids_[byte] != kNone; }

 private:
  using Pair = std::conditional_t<sizeof(Id) == 2, std::uint32_t, std::uint64_t>;
  struct Slot {
    Pair pair = 0;
    std::uint32_t rank = kNone;
  };
  static Pair pair_of(std::uint32_t left, std::uint32_t right) {
    return static_cast<Pair>(Pair{left} << (8 * sizeof(Id)) | right);
  }
  using Bucket = std::array<Slot, 2>;
  struct Homes {
    std::size_t first, second;
  };
  Homes homes_of(Pair pair) const {
    const std::uint64_t hash = pair * std::uint64_t{0x9E3779B97F4A7C15u};
    return {static_cast<std::size_t>(hash >> 40) & mask_, static_cast<std::size_t>(hash >> 16) & mask_};
  }
  bool insert(Slot slot);

  std::vector<Bucket> buckets_;
  std::size_t mask_ = 0;
  bool numbered_by_rank_ = true;
  std::vector<Id> ids_;                 // by symbol, if they are numbered by rank
  std::vector<std::uint32_t> results_;  // by rank, if they are not
  std::array<std::uint32_t, 256> byte_ids_;
  std::vector<std::uint32_t> byte_ranks_;  // by two bytes
};

extern template class MergeRanks<std::uint16_t>;
extern template class MergeRanks<std::uint32_t>;

}  // namespace tokmill
