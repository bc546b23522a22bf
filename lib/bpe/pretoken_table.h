// Pretokens whose ids are known.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "bpe/pretoken_key.h"
#include "io/large_array.h"

namespace tokmill {

/// A hash table pretoken -> ids that grows to a bounded size; what does not fit is not kept. Nothing but the
/// time depends on what it holds. `Id` is std::uint16_t or std::uint32_t.
template <class Id>
class PretokenTable {
 public:
  /// Ids that a slot has room for.
  static constexpr std::size_t kInline = 14 / sizeof(Id);
  /// Bytes that may be read from any id on.
  static constexpr std::size_t kWide = 32;

  /// A short pretoken. Two slots make a line of the cache.
  struct alignas(32) Slot {
    PretokenKey key;  // empty: a free slot
    Id ids[kInline];  // or, where there are more, their place in the arena
    std::uint16_t count;

    /// Copies the ids of a slot that has room for them, and kCopied bytes in all: one move, whatever their
    /// number.
    void copy_ids(Id* out) const {
      std::memcpy(out, reinterpret_cast<const char*>(this) + sizeof key, kCopied);
    }
    static constexpr std::size_t kCopied = 16;  // with what is behind the ids
  };
  static_assert(sizeof(Slot) == sizeof(PretokenKey) + Slot::kCopied);

  /// `most_slots` for short pretokens, a power of two, of which `first_slots` at the beginning; a quarter as
  /// many for long ones; `most_arena` bytes for these and for ids that have no room in a slot.
  PretokenTable(std::size_t most_slots, std::size_t most_arena, std::size_t first_slots = kFirstSlots)
      : short_(std::min(most_slots, std::max(first_slots, kFirstSlots))),
        long_(short_.size() / 4),
        arena_(std::min(most_arena, kFirstArena) + kWide),
        most_slots_(most_slots),
        most_arena_(most_arena) {}

  /// The short pretokens, for loops that keep it at hand: it holds until the next `insert`.
  class View {
   public:
    /// Fetches what `find` will look at.
    void prefetch(std::uint32_t hash) const { __builtin_prefetch(&slots_[hash & mask_]); }
    /// The slot that a short pretoken most likely has.
    const Slot& home(std::uint32_t hash) const { return slots_[hash & mask_]; }
    /// The slot of a short pretoken, or the free one where it would be.
    const Slot& find(const PretokenKey& key, std::uint32_t hash) const {
      std::size_t i = hash & mask_;
      while (!(slots_[i].key == key) && !slots_[i].key.empty()) i = (i + 1) & mask_;
      return slots_[i];
    }

   private:
    friend class PretokenTable;
    View(const Slot* slots, std::size_t mask) : slots_(slots), mask_(mask) {}
    const Slot* slots_;
    std::size_t mask_;
  };
  View view() const { return View(short_.data(), short_.size() - 1); }
  const Slot& find(const PretokenKey& key, std::uint32_t hash) const { return view().find(key, hash); }
  /// Fetches what `find_long` will look at.
  void prefetch_long(std::uint64_t hash) const { __builtin_prefetch(&long_[hash & (long_.size() - 1)]); }

  /// The ids of a slot that holds more than kInline of them; kWide bytes may be read from each.
  const Id* spilled(const Slot& slot) const {
    std::uint64_t offset;
    std::memcpy(&offset, slot.ids, sizeof offset);
    return reinterpret_cast<const Id*>(arena_.data() + offset);
  }

  /// The ids of a long pretoken; empty if it is not there.
  std::span<const Id> find_long(std::string_view pretoken, std::uint64_t hash) const {
    const std::size_t mask = long_.size() - 1;
    for (std::size_t i = hash & mask; long_[i].ids != 0; i = (i + 1) & mask) {
      const LongSlot& slot = long_[i];
      const char* const bytes = arena_.data() + slot.offset;
      if (slot.hash == hash && slot.length == pretoken.size() &&
          std::memcmp(bytes, pretoken.data(), pretoken.size()) == 0) {
        return {reinterpret_cast<const Id*>(bytes + aligned(slot.length)), slot.ids};
      }
    }
    return {};
  }

  /// Keeps a pretoken that is not there yet, if there is room. `hash` is PretokenKey's for a short one.
  template <class Ids>
  void insert(std::string_view pretoken, std::uint64_t hash, const Ids& ids) {
    if (!PretokenKey::fits(pretoken)) return insert_long(pretoken, hash, ids);
    if (2 * (short_used_ + 1) > short_.size() && !grow_short()) return;
    Slot slot{PretokenKey::of(pretoken), {}, static_cast<std::uint16_t>(ids.size())};
    if (ids.size() <= kInline) {
      copy(ids, slot.ids);
    } else {
      const std::uint64_t offset = arena_used_;
      if (!take_arena(std::max(ids.size() * sizeof(Id), kWide))) return;
      copy(ids, reinterpret_cast<Id*>(arena_.data() + offset));
      std::memcpy(slot.ids, &offset, sizeof offset);
    }
    place(short_, slot, hash);
    ++short_used_;
  }

  static constexpr std::size_t kFirstSlots = 1 << 13;

 private:
  static constexpr std::size_t kFirstArena = 1 << 18;

  struct LongSlot {
    std::uint64_t hash, offset;  // of the bytes in the arena, and after them the ids
    std::uint32_t length, ids;   // ids 0: a free slot
  };

  static std::uint64_t aligned(std::uint64_t bytes) { return (bytes + 7) / 8 * 8; }

  template <class Ids>
  static void copy(const Ids& ids, Id* out) {
    for (const auto id : ids) *out++ = static_cast<Id>(id);
  }
  static void place(LargeArray<Slot>& slots, const Slot& slot, std::uint64_t hash) {
    std::size_t i = hash & (slots.size() - 1);
    while (!slots[i].key.empty()) i = (i + 1) & (slots.size() - 1);
    slots[i] = slot;
  }
  static void place(LargeArray<LongSlot>& slots, const LongSlot& slot, std::uint64_t hash) {
    std::size_t i = hash & (slots.size() - 1);
    while (slots[i].ids != 0) i = (i + 1) & (slots.size() - 1);
    slots[i] = slot;
  }

  template <class Ids>
  void insert_long(std::string_view pretoken, std::uint64_t hash, const Ids& ids) {
    if (pretoken.size() > most_arena_ / 64) return;  // one may not take the room of many
    if (2 * (long_used_ + 1) > long_.size() && !grow_long()) return;
    const std::uint64_t offset = arena_used_;
    if (!take_arena(aligned(pretoken.size()) + ids.size() * sizeof(Id))) return;
    std::memcpy(arena_.data() + offset, pretoken.data(), pretoken.size());
    copy(ids, reinterpret_cast<Id*>(arena_.data() + offset + aligned(pretoken.size())));
    place(long_,
          {hash, offset, static_cast<std::uint32_t>(pretoken.size()), static_cast<std::uint32_t>(ids.size())},
          hash);
    ++long_used_;
  }

  // Bytes at arena_used_, which moves on; false where there is no room.
  bool take_arena(std::uint64_t bytes) {
    const std::uint64_t needed = aligned(arena_used_ + bytes);
    if (needed > most_arena_) return false;
    if (needed + kWide > arena_.size()) arena_.resize(std::min(2 * needed, most_arena_) + kWide);
    arena_used_ = needed;
    return true;
  }
  bool grow_short() {
    if (short_.size() >= most_slots_) return false;
    LargeArray<Slot> larger(short_.size() * 2);
    for (std::size_t i = 0; i < short_.size(); ++i) {
      if (!short_[i].key.empty()) place(larger, short_[i], short_[i].key.hash());
    }
    short_ = std::move(larger);
    return true;
  }
  bool grow_long() {
    if (long_.size() >= most_slots_ / 4) return false;
    LargeArray<LongSlot> larger(long_.size() * 2);
    for (std::size_t i = 0; i < long_.size(); ++i) {
      if (long_[i].ids != 0) place(larger, long_[i], long_[i].hash);
    }
    long_ = std::move(larger);
    return true;
  }

  LargeArray<Slot> short_;
  LargeArray<LongSlot> long_;
  LargeArray<char> arena_;
  std::uint64_t short_used_ = 0, long_used_ = 0, arena_used_ = 0;
  std::size_t most_slots_, most_arena_;
};

}  // namespace tokmill
