// The pairs that may still become merges, and where each of them occurs.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "io/large_array.h"

namespace tokmill {

/// Lists of positions, each written once, of a known length; the memory of a list that is done serves again.
template <class Position>
class PositionPool {
 public:
  /// Readers may look this far past the end of a list.
  static constexpr std::uint64_t kSlack = 64;

  PositionPool() : memory_(1 << 16) {}

  /// Memory for `length` positions, as an offset. Moves the memory of all lists.
  std::uint64_t allocate(std::uint64_t length) {
    if (length == 0) return 0;
    // A block of class c is at least 2^c long: the first class whose every block is long enough.
    const int fit = static_cast<int>(std::bit_width(length - 1));
    const std::uint64_t usable = occupied_ >> fit << fit;
    if (usable != 0) {
      const int chosen = std::countr_zero(usable);
      const Block block = free_[chosen].back();
      free_[chosen].pop_back();
      if (free_[chosen].empty()) occupied_ &= ~(std::uint64_t{1} << chosen);
      release(block.offset + length, block.length - length);
      return block.offset;
    }
    const std::uint64_t offset = top_;
    top_ += length;
    if (top_ + kSlack > memory_.size()) memory_.resize(top_ + top_ / 2 + kSlack);
    return offset;
  }

  /// Makes room for lists of so many positions together, so that allocating them moves nothing.
  void reserve(std::uint64_t positions) {
    if (top_ + positions + kSlack > memory_.size()) memory_.resize(top_ + positions + kSlack);
  }

  void release(std::uint64_t offset, std::uint64_t length) {
    if (length < kWorthKeeping) return;
    const int c = static_cast<int>(std::bit_width(length)) - 1;
    free_[c].push_back({offset, length});
    occupied_ |= std::uint64_t{1} << c;
  }

  /// Forgets all lists and gives their memory back.
  void clear() { *this = PositionPool(); }

  Position* at(std::uint64_t offset) { return memory_.data() + offset; }

  /// Positions that were ever used: `allocate` adds at most its length to them.
  std::uint64_t used() const { return top_; }
  /// Their bytes.
  std::uint64_t memory() const { return top_ * sizeof(Position); }

 private:
  struct Block {
    std::uint64_t offset, length;
  };
  static constexpr std::uint64_t kWorthKeeping = 16;

  LargeArray<Position> memory_;
  std::uint64_t top_ = 1;  // offset 0 takes the writes that belong to no list
  std::array<std::vector<Block>, 64> free_;
  std::uint64_t occupied_ = 0;  // bit c: free_[c] is not empty
};

/// What is known of a pair. A pair whose count is 0 is done: merged, or fallen below the threshold.
template <class Key>
struct PairRecord {
  Key key = 0;  // 0: a free place
  std::uint64_t count = 0;
  std::uint64_t positions = 0;  // offset in the pool
  std::uint64_t length = 0;     // of the list; some of its positions may be stale
};

/// A hash table of pair records. Records are never taken out.
template <class Key>
class PairTable {
 public:
  using Record = PairRecord<Key>;

  static constexpr std::uint64_t kFirstSlots = 1 << 16;

  PairTable() : slots_(kFirstSlots) {}

  Record* find(Key key) {
    for (std::size_t i = home(key);; i = (i + 1) & (slots_.size() - 1)) {
      if (slots_[i].key == key) return &slots_[i];
      if (slots_[i].key == 0) return nullptr;
    }
  }
  /// The record of a pair, made if it is not there. Call `reserve` before: this moves nothing.
  Record& insert(Key key) {
    for (std::size_t i = home(key);; i = (i + 1) & (slots_.size() - 1)) {
      if (slots_[i].key == key) return slots_[i];
      if (slots_[i].key == 0) {
        slots_[i].key = key;
        ++used_;
        return slots_[i];
      }
    }
  }
  /// Makes room for `more` new records; moves all.
  void reserve(std::uint64_t more) {
    if ((used_ + more) * 2 > slots_.size()) grow(std::bit_ceil((used_ + more) * 2));
  }
  std::uint64_t used() const { return used_; }
  /// Bytes of all places, free ones too.
  std::uint64_t memory() const { return slots_.size() * sizeof(Record); }
  void prefetch(Key key) const { __builtin_prefetch(&slots_[home(key)]); }
  void clear() {
    slots_ = LargeArray<Record>(kFirstSlots);
    used_ = 0;
  }
  template <class Visit>
  void for_each(Visit visit) {
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      if (slots_[i].key != 0) visit(slots_[i]);
    }
  }

 private:
  std::size_t home(Key key) const {
    return static_cast<std::size_t>((std::uint64_t{key} * 0x9E3779B97F4A7C15u) >> 20) & (slots_.size() - 1);
  }
  void grow(std::size_t slots) {
    LargeArray<Record> old(slots);
    std::swap(old, slots_);
    used_ = 0;
    for (std::size_t i = 0; i < old.size(); ++i) {
      if (old[i].key != 0) insert(old[i].key) = old[i];
    }
  }

  LargeArray<Record> slots_;
  std::uint64_t used_ = 0;
};

}  // namespace tokmill
