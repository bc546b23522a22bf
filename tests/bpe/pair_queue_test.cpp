#include "bpe/pair_queue.h"

#include <boost/test/unit_test.hpp>
#include <map>
#include <set>

#include "support.h"

using namespace tokmill;
using test::Random;

namespace {

// Not the order of the keys, so that a queue that compares those is found out.
struct Less {
  static std::uint32_t turned(std::uint32_t key) { return key * 0x9E3779B1u; }
  bool operator()(std::uint32_t a, std::uint32_t b) const { return turned(a) < turned(b); }
};
using Queue = PairQueue<std::uint32_t, Less>;

// A queue beside a map that holds the counts as they are now.
struct Checked {
  Queue queue{Less{}};
  std::map<std::uint32_t, std::uint64_t> waiting;
  std::set<std::uint32_t> dropped;
  std::uint64_t threshold = 1, most = 0;

  void push(std::uint32_t key, std::uint64_t count) {
    waiting[key] = count;
    queue.push(key, count);
    most = std::max<std::uint64_t>(most, waiting.size() - dropped.size());
  }

  /// Pops, and compares with the greatest in the map; 0 at the end.
  std::uint64_t pop() {
    std::uint64_t best_count = 0;
    std::uint32_t best = 0;
    for (const auto& [key, count] : waiting) {
      if (count > best_count || (count == best_count && Less{}(best, key))) best_count = count, best = key;
    }
    Queue::Entry entry{};
    const bool found = queue.pop(
        threshold, [&](std::uint32_t key) { return waiting.at(key); },
        [&](std::uint32_t key) { BOOST_REQUIRE(dropped.insert(key).second); }, entry);
    BOOST_REQUIRE(found == (best_count >= threshold));
    BOOST_REQUIRE(queue.most() == most);
    if (!found) return 0;
    BOOST_REQUIRE(entry.count == best_count);
    BOOST_REQUIRE(entry.key == best);
    waiting.erase(best);
    return best_count;
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(pair_queue_test)

BOOST_AUTO_TEST_CASE(an_empty_queue_gives_nothing) {
  Checked queue;
  BOOST_TEST(queue.pop() == 0);
  queue.push(7, 3);
  BOOST_TEST(queue.pop() == 3);
  BOOST_TEST(queue.pop() == 0);
}

BOOST_AUTO_TEST_CASE(the_highest_count_comes_first_and_the_order_decides_ties) {
  Checked queue;
  for (std::uint32_t key = 1; key <= 2'000; ++key) queue.push(key, 1 + key % 7);
  std::uint64_t before = 7;
  for (int i = 0; i < 2'000; ++i) {
    const std::uint64_t count = queue.pop();
    BOOST_REQUIRE((count > 0 && count <= before));
    before = count;
  }
  BOOST_TEST(queue.pop() == 0);
}

BOOST_AUTO_TEST_CASE(what_comes_next_can_be_seen) {
  Checked queue;
  BOOST_TEST(queue.queue.peek() == 0);
  for (std::uint32_t key = 1; key <= 9; ++key) queue.push(key, key < 5 ? 3 : 20'000 + key % 2);
  queue.pop();
  std::uint32_t seen = 0;
  for (int left = 8; left > 0; --left) {
    const std::uint32_t next = queue.queue.peek();
    const auto before = queue.waiting;
    queue.pop();
    if (next == 0) continue;  // of another count
    ++seen;
    BOOST_TEST((before.contains(next) && !queue.waiting.contains(next)));
  }
  BOOST_TEST(seen == 7);
}

BOOST_AUTO_TEST_CASE(agrees_with_a_map_while_counts_fall_and_pairs_are_born) {
  Random random(1);
  for (int i = 0; i < 400; ++i) {
    Checked queue;
    // Counts above and below the one from which on they lie in another structure.
    const std::uint64_t highest = random.pick<std::uint64_t>({3, 20, 16'383, 16'390, 33'000, 1ull << 50});
    queue.threshold = 1 + random.below(random.pick<std::uint64_t>({1, 3, highest}));
    std::uint32_t next_key = 1;
    std::uint64_t last = highest;
    const auto give_birth = [&](std::size_t number) {
      while (number-- > 0) {
        if (last < queue.threshold) return;
        const std::uint64_t low =
            std::max<std::uint64_t>(queue.threshold, last - random.below(std::min<std::uint64_t>(last, 40)));
        queue.push(next_key++, random.between(random.below(3) == 0 ? queue.threshold : low, last));
      }
    };
    give_birth(random.between(1, 60));
    for (std::uint64_t count = queue.pop(); count != 0; count = queue.pop()) {
      last = count;
      for (auto& [key, present] : queue.waiting) {
        if (random.below(4) == 0)
          present -= random.below(
              std::min<std::uint64_t>(present, random.pick<std::uint64_t>({2, 50, 1ull << 40})) + 1);
      }
      if (next_key < 150) give_birth(random.below(3));
    }
    for (const auto& [key, count] : queue.waiting) {
      BOOST_REQUIRE(count < queue.threshold);
      BOOST_REQUIRE_MESSAGE(queue.dropped.contains(key), "a pair fell below the threshold unnoticed");
    }
    BOOST_REQUIRE(queue.dropped.size() == queue.waiting.size());
  }
}

BOOST_AUTO_TEST_SUITE_END()
