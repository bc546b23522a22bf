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
  Key key;
  Key length = 0;  // of the list; some of its positions may be stale
  std::uint64_t count = 0;
  std::uint64_t positions = 0;  // offset in the pool
};

/// A hash table of pair records. Records are never taken out. The table itself has only keys and where their
/// records are, and these lie one after the other: most pairs that are looked for are not there, and a table
/// that has grown has touched little memory.
template <class Key>
class PairTable {
 public:
  using Record = PairRecord<Key>;

  PairTable() : places_(kFirstPlaces), records_(kFirstPlaces / 2) {}

  Record* find(Key key) {
    const Place& place = places_[place_of(key)];
    return place.key == key ? &records_[place.record] : nullptr;
  }
  /// The record of a pair, made if it is not there. Call `reserve` before: this moves nothing.
  Record& insert(Key key) {
    Place& place = places_[place_of(key)];
    if (place.key == 0) {
      place = {key, used_};
      records_[used_++].key = key;
    }
    return records_[place.record];
  }
  /// Makes room for `more` new records; moves all.
  void reserve(std::uint64_t more) {
    const std::uint64_t records = used_ + more;
    if (records * 2 > places_.size()) spread(std::bit_ceil(records * 2));
    if (records > records_.size()) records_.resize(std::max<std::uint64_t>(records, records_.size() * 2));
  }
  std::uint64_t used() const { return used_; }
  /// Bytes of all places, free ones too, and of the records.
  std::uint64_t memory() const { return places_.size() * sizeof(Place) + used_ * sizeof(Record); }
  /// How many records fit into so many bytes.
  static std::uint64_t records_in(std::uint64_t bytes) {
    constexpr std::uint64_t kBytes = 2 * sizeof(Place) + sizeof(Record);
    return bytes < kBytes ? 0 : std::bit_floor(bytes / kBytes);
  }
  void prefetch(Key key) const { __builtin_prefetch(&places_[home(key)]); }
  void clear() { *this = PairTable(); }
  template <class Visit>
  void for_each(Visit visit) {
    for (std::uint64_t i = 0; i < used_; ++i) visit(records_[i]);
  }

 private:
  static constexpr std::uint64_t kFirstPlaces = 1 << 16;

  struct Place {
    Key key;  // 0: free
    Key record;
  };

  std::size_t home(Key key) const {
    return static_cast<std::size_t>((std::uint64_t{key} * 0x9E3779B97F4A7C15u) >> 20) & (places_.size() - 1);
  }
  // The place that has the key, or is free for it.
  std::size_t place_of(Key key) const {
    std::size_t i = home(key);
    while (places_[i].key != key && places_[i].key != 0) i = (i + 1) & (places_.size() - 1);
    return i;
  }
  void spread(std::size_t places) {
    places_ = LargeArray<Place>();  // the old ones first, as all is in the records
    places_ = LargeArray<Place>(places);
    for (Key i = 0; i < used_; ++i) places_[place_of(records_[i].key)] = {records_[i].key, i};
  }

  LargeArray<Place> places_;
  LargeArray<Record> records_;
  Key used_ = 0;
};

}  // namespace tokmill
