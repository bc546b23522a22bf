// What the hash tables of pretokens have in common: open addressing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "io/large_array.h"

namespace tokmill {

/// Where the searches for hashes begin, in a table of slots that have kSlotBytes each, until it grows; places
/// remain within the table after that. They count units that an address takes as they are: loops over places
/// have less to do than over hashes.
struct SlotPlaces {
  static constexpr std::size_t kSlotBytes = 32, kUnit = 8;
  /// Places in units are 32 bits. In a table of more slots, searches begin elsewhere.
  static constexpr std::size_t kMostSlots = std::size_t{1} << 30;
  const void* slots;
  std::uint32_t mask;

  std::uint32_t of(std::uint32_t hash) const { return (hash & mask) * (kSlotBytes / kUnit); }
  void prefetch(std::uint32_t place) const { __builtin_prefetch(address(place)); }
  template <class Slot>
  const Slot& at(std::uint32_t place) const {
    return *static_cast<const Slot*>(address(place));
  }

 private:
  const void* address(std::uint32_t place) const {
    return static_cast<const char*>(slots) + std::size_t{place} * kUnit;
  }
};

/// The slots of a hash table by linear probing: a power of two of them, at most half taken. A `Slot` has
/// `bool empty() const`, true if all its bytes are zero, and `std::uint64_t hash() const`.
///
/// It grows where it lies, and so takes no more memory than it has slots: to get new memory from the system
/// takes longer than to move the slots.
template <class Slot>
class SlotTable {
 public:
  SlotTable() = default;
  explicit SlotTable(std::size_t size) : slots_(size) {}

  std::size_t size() const { return slots_.size(); }
  /// The bits of a hash that say where the search for it begins.
  std::size_t mask() const { return slots_.size() - 1; }
  SlotPlaces places() const requires(sizeof(Slot) == SlotPlaces::kSlotBytes) {
    return {slots_.data(), static_cast<std::uint32_t>(std::min(size(), SlotPlaces::kMostSlots) - 1)};
  }
  /// Slots that are taken.
  std::size_t used() const { return used_; }
  bool has_room_for(std::size_t more) const { return 2 * (used_ + more) <= size(); }
  Slot* data() { return slots_.data(); }
  const Slot* data() const { return slots_.data(); }
  const Slot* begin() const { return data(); }
  const Slot* end() const { return data() + size(); }

  /// Fetches where the search for a hash begins.
  void prefetch(std::uint64_t hash) const { __builtin_prefetch(&slots_[hash & mask()]); }
  /// The slot with this hash that `is_it`, or else the free one where it would be.
  template <class IsIt>
  const Slot& find(std::uint64_t hash, IsIt is_it) const {
    std::size_t at = hash & mask();
    while (!slots_[at].empty() && !is_it(slots_[at])) at = (at + 1) & mask();
    return slots_[at];
  }
  template <class IsIt>
  Slot& find(std::uint64_t hash, IsIt is_it) {
    return const_cast<Slot&>(std::as_const(*this).find(hash, is_it));
  }
  /// Takes a free slot that `find` has found.
  void take(Slot& free, const Slot& slot) {
    free = slot;
    ++used_;
  }
  /// Puts in a slot that is not there; there must be room.
  void insert(const Slot& slot) { take(find_free(slot.hash()), slot); }

  /// Grows to at least `size` slots, a power of two.
  void reserve(std::size_t size) {
    if (used_ == 0 && size > this->size()) slots_ = LargeArray<Slot>(size);
    while (size > this->size()) grow();
  }
  /// Doubles the number of slots.
  void grow() {
    const std::size_t before = size();
    const auto is_home = [&](std::size_t at) { return (slots_[at].hash() & (before - 1)) == at; };
    slots_.resize(2 * before);
    // What has come round to the beginning because the end was full waits, with all up to the first gap.
    std::vector<Slot> waiting;
    std::size_t first = 0;
    for (; !slots_[first].empty(); ++first) {
      if (!is_home(first)) waiting.push_back(take_out(first));
    }
    // What is where its search begins will be so again: the frequent have come first, and are found at once.
    for (std::size_t at = 0; at < before; ++at) {
      if (slots_[at].empty() || !is_home(at)) continue;
      if ((slots_[at].hash() & before) != 0) slots_[at + before] = take_out(at);
    }
    // The others find a free place no further on than the one they leave: none goes past one that is still
    // to move.
    for (std::size_t at = first; at < before; ++at) {
      if (slots_[at].empty() || is_home(at)) continue;
      const Slot slot = take_out(at);
      find_free(slot.hash()) = slot;
    }
    for (const Slot& slot : waiting) find_free(slot.hash()) = slot;
  }

 private:
  Slot& find_free(std::uint64_t hash) {
    return find(hash, [](const Slot&) { return false; });
  }
  Slot take_out(std::size_t at) {
    const Slot slot = slots_[at];
    slots_[at] = {};
    return slot;
  }

  LargeArray<Slot> slots_;
  std::size_t used_ = 0;
};

}  // namespace tokmill
