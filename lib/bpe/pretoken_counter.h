// Counts pretokens in memory.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "bpe/block_keys.h"
#include "bpe/pretoken_key.h"
#include "bpe/slot_table.h"
#include "format/count_table_writer.h"
#include "io/large_array.h"
#include "text/pretoken_block.h"

namespace tokmill {

/// A hash table pretoken -> count. Short pretokens lie in the slots; longer ones in an arena, in a table of
/// their own.
class PretokenCounter {
 public:
  /// The table is made for about `text` bytes of text at first, but takes no more than a quarter of
  /// `limit` for that.
  explicit PretokenCounter(std::uint64_t text = 0, std::uint64_t limit = UINT64_MAX);

  /// Counts the pretokens of a block, not its special tokens.
  void add(const PretokenBlock& block);
  /// Counts one pretoken, of any memory.
  void add(std::string_view pretoken, std::uint64_t count);

  /// Different pretokens so far.
  std::uint64_t distinct() const { return short_.used() + long_.used(); }
  /// Whether a block can be added without taking more than `limit` bytes.
  bool has_room(const PretokenBlock& block, std::uint64_t limit) const;
  /// Calls `visit(pretoken, count)` for all entries, in no order. The views are valid until the counter
  /// changes.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const ShortSlot& slot : short_) {
      if (!slot.empty()) visit(slot.key.bytes(), slot.count);
    }
    for (const LongSlot& slot : long_) {
      if (!slot.empty()) visit(std::string_view(arena_.data() + slot.offset, slot.length), slot.count);
    }
  }
  /// Writes all entries in canonical order. They are sorted where they lie: nothing but `clear` may follow.
  void write(CountTableWriter& writer);
  /// Forgets everything.
  void clear();

 private:
  struct alignas(32) ShortSlot {
    PretokenKey key;
    std::uint64_t count;     // 0: a free slot
    std::uint64_t checksum;  // CountTableOrder's hash, once entries are sorted

    bool empty() const { return count == 0; }
    std::uint64_t hash() const { return key.hash(); }
  };
  struct LongSlot {
    std::uint64_t checksum, offset, length;  // CountTableOrder's hash; offset into the arena
    std::uint64_t count;                     // 0: a free slot

    bool empty() const { return count == 0; }
    std::uint64_t hash() const { return checksum; }
  };

  void add_short(const PretokenKey& key, std::uint64_t hash, std::uint64_t count);
  CountTableOrder order(const ShortSlot& slot) const { return {slot.checksum, slot.key.bytes()}; }
  CountTableOrder order(const LongSlot& slot) const {
    return {slot.checksum, {arena_.data() + slot.offset, slot.length}};
  }
  template <class Slot>
  std::span<const Slot> sort(SlotTable<Slot>& slots) const;
  void add_long(std::string_view pretoken, std::uint64_t hash, std::uint64_t count);

  std::uint64_t text_, limit_;  // as told
  SlotTable<ShortSlot> short_;
  SlotTable<LongSlot> long_;
  LargeArray<char> arena_;
  std::uint64_t arena_used_ = 0;
  BlockKeys keys_;  // of the block being added
};

}  // namespace tokmill
