// The keys of a block's pretokens, many at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "bpe/pretoken_key.h"
#include "bpe/slot_table.h"
#include "text/instruction_set.h"
#include "text/pretoken_block.h"

namespace tokmill {

/// The entries of a block, each as if it were a short pretoken.
struct BlockEntries {
  alignas(64) std::array<PretokenKey, PretokenBlock::kCapacity> keys;
  alignas(64) std::array<std::uint32_t, PretokenBlock::kCapacity> places;  // see SlotPlaces
  std::array<std::uint32_t, PretokenBlock::kCapacity> long_ones;  // those of more than kMaxLength bytes
  std::size_t long_count;

  /// Reads one.
  void read(const PretokenBlock& block, const SlotPlaces& slots, std::size_t i) {
    const std::size_t length = block.end[i] - block.begin[i];
    keys[i] = PretokenKey::read(block.base + block.begin[i], length & PretokenKey::kMaxLength);
    places[i] = slots.of(keys[i].hash());
    slots.prefetch(places[i]);
  }
};

/// What counting and encoding look up: the keys of short pretokens and where to look, and the hashes of long
/// ones. It belongs to one block at a time.
class BlockKeys {
 public:
  /// `instructions` is one of instruction_sets(); the keys are the same with all of them.
  explicit BlockKeys(std::string_view instructions = instruction_set());

  /// Reads the keys of a block, and fetches the slots where the search for its short pretokens begins.
  void read(const PretokenBlock& block, const SlotPlaces& slots);

  /// The key of entry i of the block; one that no slot has where that is a long pretoken or a special token.
  const PretokenKey& key(std::size_t i) const { return entries_.keys[i]; }
  /// Where the search for entry i, a short pretoken, begins; for others, anywhere in the table.
  std::uint32_t place(std::size_t i) const { return entries_.places[i]; }
  bool is_long(std::size_t i) const { return entries_.keys[i].high == kLong; }
  bool is_special(std::size_t i) const { return entries_.keys[i].high == kSpecial; }
  /// The hash of entry i, a long pretoken.
  std::uint64_t long_hash(std::size_t i) const { return long_hashes_[entries_.keys[i].low]; }
  /// Of all long pretokens of the block, and of its long special tokens.
  std::span<const std::uint64_t> long_hashes() const { return {long_hashes_.data(), entries_.long_count}; }

 private:
  // No short key has these as its `high`.
  static constexpr std::uint64_t kLong = ~std::uint64_t{0}, kSpecial = kLong - 1;

  using Read = void (*)(const PretokenBlock& block, const SlotPlaces& slots, BlockEntries& entries);
  Read read_;
  BlockEntries entries_;
  std::array<std::uint64_t, PretokenBlock::kCapacity> long_hashes_;
};

}  // namespace tokmill
