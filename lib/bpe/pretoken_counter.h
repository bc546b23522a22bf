// Counts pretokens in memory.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "bpe/pretoken_key.h"
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
  std::uint64_t distinct() const { return short_used_ + long_used_; }
  /// Whether a block can be added without taking more than `limit` bytes.
  bool has_room(const PretokenBlock& block, std::uint64_t limit) const;
  /// Calls `visit(pretoken, count)` for all entries, in no order. The views are valid until the counter
  /// changes.
  template <class Visit>
  void for_each(Visit visit) const {
    for (std::size_t i = 0; i < short_.size(); ++i) {
      if (short_[i].count != 0) visit(short_[i].key.bytes(), short_[i].count);
    }
    for (std::size_t i = 0; i < long_.size(); ++i) {
      const LongSlot& slot = long_[i];
      if (slot.count != 0) visit(std::string_view(arena_.data() + slot.offset, slot.length), slot.count);
    }
  }
  /// Writes all entries in canonical order. They are sorted where they lie: nothing but `clear` may follow.
  void write(CountTableWriter& writer);
  /// Forgets everything.
  void clear();

 private:
  struct alignas(32) ShortSlot {
    PretokenKey key;
    std::uint64_t count;  // 0: a free slot
    std::uint64_t hash;   // CountTableOrder's, when entries are sorted
  };
  struct LongSlot {
    std::uint64_t hash, offset, length;  // offset into the arena
    std::uint64_t count;                 // 0: a free slot
  };

  ShortSlot& take_slot(const PretokenKey& key, std::size_t home);
  CountTableOrder order(const ShortSlot& slot) const { return {slot.hash, slot.key.bytes()}; }
  CountTableOrder order(const LongSlot& slot) const {
    return {slot.hash, {arena_.data() + slot.offset, slot.length}};
  }
  template <class Slot>
  std::span<const Slot> sort(LargeArray<Slot>& slots, std::uint64_t used) const;
  void add_long(std::string_view pretoken, std::uint64_t hash, std::uint64_t count);
  void grow_short();
  void grow_long();

  std::uint64_t text_, limit_;  // as told
  LargeArray<ShortSlot> short_;
  LargeArray<LongSlot> long_;
  std::uint64_t short_used_ = 0, long_used_ = 0;
  LargeArray<char> arena_;
  std::uint64_t arena_used_ = 0;
};

}  // namespace tokmill
