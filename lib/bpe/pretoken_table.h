// Pretokens whose ids are known.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "bpe/pretoken_key.h"
#include "bpe/slot_table.h"
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

    bool empty() const { return key.empty(); }
    std::uint64_t hash() const { return key.hash(); }
    /// Copies the ids of a slot that has room for them, and kCopied bytes in all: one move, whatever their
    /// number.
    void copy_ids(Id* out) const {
      std::memcpy(out, reinterpret_cast<const char*>(this) + sizeof key, kCopied);
    }
    static constexpr std::size_t kCopied = 16;  // with what is behind the ids
  };
  static_assert(sizeof(Slot) == sizeof(PretokenKey) + Slot::kCopied);

  /// At most `most_slots` for short pretokens, a power of two; a quarter as many for long ones; and
  /// `most_arena` bytes for these and for ids that have no room in a slot.
  PretokenTable(std::size_t most_slots, std::size_t most_arena)
      : short_(std::min(most_slots, kFirstSlots)),
        long_(std::min(most_slots, kFirstSlots) / 4),
        arena_(std::min(most_arena, kFirstArena) + kWide),
        most_slots_(most_slots),
        most_arena_(most_arena) {}

  /// Makes room in advance: `slots` for short pretokens, a power of two, or as many as there may be.
  void reserve(std::size_t slots) { short_.reserve(std::min(slots, most_slots_)); }

  /// Where short pretokens most likely are, for loops that keep it at hand: it holds until the next `insert`.
  SlotPlaces places() const { return short_.places(); }
  /// The slot of a short pretoken, or the free one where it would be.
  const Slot& find(const PretokenKey& key, std::uint64_t hash) const {
    return short_.find(hash, [&](const Slot& slot) { return slot.key == key; });
  }
  /// Fetches what `find_long` will look at.
  void prefetch_long(std::uint64_t hash) const { long_.prefetch(hash); }

  /// The ids of a slot that holds more than kInline of them; kWide bytes may be read from each.
  const Id* spilled(const Slot& slot) const {
    std::uint64_t offset;
    std::memcpy(&offset, slot.ids, sizeof offset);
    return reinterpret_cast<const Id*>(arena_.data() + offset);
  }

  /// The ids of a long pretoken; empty if it is not there.
  std::span<const Id> find_long(std::string_view pretoken, std::uint64_t hash) const {
    const LongSlot& slot = long_.find(hash, [&](const LongSlot& other) {
      return other.checksum == hash && other.length == pretoken.size() &&
             std::memcmp(arena_.data() + other.offset, pretoken.data(), pretoken.size()) == 0;
    });
    return {reinterpret_cast<const Id*>(arena_.data() + slot.offset + aligned(slot.length)), slot.ids};
  }

  /// Keeps a pretoken that is not there yet, if there is room. `hash` is hash_pretoken's.
  template <class Ids>
  void insert(std::string_view pretoken, std::uint64_t hash, const Ids& ids) {
    if (!PretokenKey::fits(pretoken)) return insert_long(pretoken, hash, ids);
    if (!make_room(short_, most_slots_)) return;
    Slot slot{PretokenKey::of(pretoken), {}, static_cast<std::uint16_t>(ids.size())};
    if (ids.size() <= kInline) {
      copy(ids, slot.ids);
    } else {
      const std::uint64_t offset = arena_used_;
      if (!take_arena(std::max(ids.size() * sizeof(Id), kWide))) return;
      copy(ids, reinterpret_cast<Id*>(arena_.data() + offset));
      std::memcpy(slot.ids, &offset, sizeof offset);
    }
    short_.insert(slot);
  }

 private:
  static constexpr std::size_t kFirstSlots = 1 << 13;
  static constexpr std::size_t kFirstArena = 1 << 18;

  struct LongSlot {
    std::uint64_t checksum, offset;  // of the bytes in the arena, and after them the ids
    std::uint32_t length, ids;       // ids 0: a free slot

    bool empty() const { return ids == 0; }
    std::uint64_t hash() const { return checksum; }
  };

  static std::uint64_t aligned(std::uint64_t bytes) { return (bytes + 7) / 8 * 8; }

  template <class Ids>
  static void copy(const Ids& ids, Id* out) {
    for (const auto id : ids) *out++ = static_cast<Id>(id);
  }
  // Makes room for one more; false if that would take more than `most` slots.
  template <class AnySlot>
  static bool make_room(SlotTable<AnySlot>& slots, std::size_t most) {
    if (slots.has_room_for(1)) return true;
    if (slots.size() >= most) return false;
    slots.grow();
    return true;
  }

  template <class Ids>
  void insert_long(std::string_view pretoken, std::uint64_t hash, const Ids& ids) {
    if (pretoken.size() > most_arena_ / 64) return;  // one may not take the room of many
    if (!make_room(long_, most_slots_ / 4)) return;
    const std::uint64_t offset = arena_used_;
    if (!take_arena(aligned(pretoken.size()) + ids.size() * sizeof(Id))) return;
    std::memcpy(arena_.data() + offset, pretoken.data(), pretoken.size());
    copy(ids, reinterpret_cast<Id*>(arena_.data() + offset + aligned(pretoken.size())));
    long_.insert(
        {hash, offset, static_cast<std::uint32_t>(pretoken.size()), static_cast<std::uint32_t>(ids.size())});
  }

  // Bytes at arena_used_, which moves on; false where there is no room.
  bool take_arena(std::uint64_t bytes) {
    const std::uint64_t needed = aligned(arena_used_ + bytes);
    if (needed > most_arena_) return false;
    if (needed + kWide > arena_.size()) arena_.resize(std::min(2 * needed, most_arena_) + kWide);
    arena_used_ = needed;
    return true;
  }

  SlotTable<Slot> short_;
  SlotTable<LongSlot> long_;
  LargeArray<char> arena_;
  std::uint64_t arena_used_ = 0;
  std::size_t most_slots_, most_arena_;
};

}  // namespace tokmill
