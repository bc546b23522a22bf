// The queue that yields the pair with the highest count.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tokmill {

/// Counts only fall, so a pair may wait under a count that it no longer has: it is looked at when it comes to
/// the front, and put back under its present one. Most pairs have small counts and wait in one vector for
/// each count; the vector that is due becomes a small heap ordered by the tie-break. Large counts are in one
/// heap.
///
/// `Less(a, b)`: pair a loses a tie against pair b.
template <class Key, class Less>
class PairQueue {
 public:
  struct Entry {
    std::uint64_t count;
    Key key;
  };

  explicit PairQueue(Less less) : less_(less), buckets_(kBuckets) {}

  void push(Key key, std::uint64_t count) {
    most_ = std::max(most_, ++size_);
    if (count >= kBuckets) {
      heap_.push_back({count, key});
      std::push_heap(heap_.begin(), heap_.end(), entry_less());
    } else if (count < due_count_) {
      buckets_[count].push_back(key);
    } else {
      due_.push_back(key);
      std::push_heap(due_.begin(), due_.end(), less_);
    }
  }

  /// Takes the pair with the highest count out, if that is at least `threshold`. `count_of(key)` gives a
  /// pair's present count, `drop(key)` is told of pairs that have fallen below the threshold and are out of
  /// the queue.
  template <class CountOf, class Drop>
  bool pop(std::uint64_t threshold, CountOf count_of, Drop drop, Entry& out) {
    const auto put_back = [&](Key key, std::uint64_t count) {
      --size_;
      count >= threshold ? push(key, count) : drop(key);
    };
    for (;;) {
      if (!heap_.empty()) {
        const Entry entry = heap_.front();
        std::pop_heap(heap_.begin(), heap_.end(), entry_less());
        heap_.pop_back();
        const std::uint64_t count = count_of(entry.key);
        if (count == entry.count) return --size_, out = entry, true;
        put_back(entry.key, count);
      } else if (!due_.empty()) {
        const Key key = due_.front();
        std::pop_heap(due_.begin(), due_.end(), less_);
        due_.pop_back();
        const std::uint64_t count = count_of(key);
        if (count == due_count_) return --size_, out = {count, key}, true;
        put_back(key, count);
      } else {
        do {
          if (due_count_ <= threshold || due_count_ <= 1) return due_count_ = kBuckets, false;
        } while (buckets_[--due_count_].empty());
        std::vector<Key> waiting;
        waiting.swap(buckets_[due_count_]);
        for (const Key key : waiting) {
          const std::uint64_t count = count_of(key);
          count == due_count_ ? due_.push_back(key) : put_back(key, count);
        }
        std::make_heap(due_.begin(), due_.end(), less_);
      }
    }
  }

  /// The pair that will come next if no count changes and no pair is born that comes before it; 0 where that
  /// is not at hand.
  Key peek() const { return !heap_.empty() ? heap_.front().key : !due_.empty() ? due_.front() : Key{0}; }

  /// How many pairs were in it at most.
  std::uint64_t most() const { return most_; }

 private:
  static constexpr std::uint64_t kBuckets = 16384;

  auto entry_less() const {
    return [this](const Entry& a, const Entry& b) {
      return a.count != b.count ? a.count < b.count : less_(a.key, b.key);
    };
  }

  Less less_;
  std::vector<Entry> heap_;  // counts from kBuckets on
  std::vector<std::vector<Key>> buckets_;
  std::uint64_t due_count_ = kBuckets;  // the count of those in due_
  std::vector<Key> due_;
  std::uint64_t size_ = 0, most_ = 0;  // pairs in all of them
};

}  // namespace tokmill
