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

/// A hash table pretoken -> ids of a bounded size; what does not fit is not kept. Nothing but the time
/// depends on what it holds.
template <class Id>
class PretokenTable {
 public:
  /// Ids in a slot; a pretoken with more is not kept here but among the long ones.
  static constexpr std::size_t kInline = 14 / sizeof(Id);

  struct alignas(32) Slot {
    PretokenKey key;
    Id ids[kInline];
    std::uint16_t count;  // of ids
  };

  /// `slots` for short pretokens, a power of two, and half as many for others, with `arena` bytes for them.
  PretokenTable(std::size_t slots, std::size_t arena)
      : short_(slots), long_(std::max<std::size_t>(slots / 2, 2)), arena_(arena) {}

  const Slot* home(std::uint32_t hash) const { return &short_[hash & (short_.size() - 1)]; }

  /// The slot of a short pretoken, or the free one where it would be.
  const Slot* find(const PretokenKey& key, std::uint32_t hash) const {
    std::size_t i = hash & (short_.size() - 1);
    while (!short_[i].key.empty() && !(short_[i].key == key)) i = (i + 1) & (short_.size() - 1);
    return &short_[i];
  }

  /// The ids of any other pretoken; empty if it is not there.
  std::span<const Id> find_long(std::string_view pretoken, std::uint64_t hash) const {
    for (std::size_t i = hash & (long_.size() - 1); long_[i].ids != 0; i = (i + 1) & (long_.size() - 1)) {
      const LongSlot& slot = long_[i];
      if (slot.hash == hash && slot.length == pretoken.size() &&
          std::memcmp(arena_.data() + slot.offset, pretoken.data(), pretoken.size()) == 0) {
        return {reinterpret_cast<const Id*>(arena_.data() + ids_offset(slot.offset, slot.length)), slot.ids};
      }
    }
    return {};
  }

  /// Keeps a pretoken that is not there yet, if there is room.
  template <class Ids>
  void insert(std::string_view pretoken, const Ids& ids) {
    if (pretoken.size() > PretokenKey::kMaxLength || ids.size() > kInline) {
      insert_long(pretoken, hash_long_pretoken(pretoken), ids);
    } else if (2 * short_used_ < short_.size()) {
      const PretokenKey key = PretokenKey::of(pretoken);
      Slot& slot = const_cast<Slot&>(*find(key, key.hash()));
      std::ranges::transform(ids, slot.ids, [](auto id) { return static_cast<Id>(id); });
      slot.key = key;
      slot.count = static_cast<std::uint16_t>(ids.size());
      ++short_used_;
    }
  }

 private:
  struct LongSlot {
    std::uint64_t hash, offset;
    std::uint32_t length, ids;  // ids 0: a free slot
  };
  static std::uint64_t ids_offset(std::uint64_t offset, std::uint64_t length) {
    return (offset + length + sizeof(Id) - 1) / sizeof(Id) * sizeof(Id);
  }

  template <class Ids>
  void insert_long(std::string_view pretoken, std::uint64_t hash, const Ids& ids) {
    const std::uint64_t at = ids_offset(arena_used_, pretoken.size());
    const std::uint64_t end = at + ids.size() * sizeof(Id);
    if (2 * long_used_ >= long_.size() || end > arena_.size() || pretoken.size() > arena_.size() / 64) return;
    std::memcpy(arena_.data() + arena_used_, pretoken.data(), pretoken.size());
    std::ranges::transform(ids, reinterpret_cast<Id*>(arena_.data() + at),
                           [](auto id) { return static_cast<Id>(id); });
    std::size_t i = hash & (long_.size() - 1);
    while (long_[i].ids != 0) i = (i + 1) & (long_.size() - 1);
    long_[i] = {hash, arena_used_, static_cast<std::uint32_t>(pretoken.size()),
                static_cast<std::uint32_t>(ids.size())};
    arena_used_ = end;
    ++long_used_;
  }

  LargeArray<Slot> short_;
  LargeArray<LongSlot> long_;
  LargeArray<char> arena_;
  std::uint64_t short_used_ = 0, long_used_ = 0, arena_used_ = 0;
};

}  // namespace tokmill
