#include "bpe/pair_index.h"

#include <boost/test/unit_test.hpp>
#include <map>

#include "support.h"

using namespace tokmill;
using test::Random;

BOOST_AUTO_TEST_SUITE(pair_index_test)

BOOST_AUTO_TEST_CASE(lists_never_lie_over_one_another) {
  Random random(1);
  PositionPool<std::uint32_t> pool;
  struct List {
    std::uint64_t offset, length;
    std::uint32_t mark;
  };
  std::vector<List> lists;
  std::uint32_t mark = 0;
  const auto check = [&](const List& list) {
    for (std::uint64_t i = 0; i < list.length; ++i) BOOST_REQUIRE(*pool.at(list.offset + i) == list.mark);
  };
  for (int i = 0; i < 20'000; ++i) {
    if (random.below(5) < 3 || lists.empty()) {
      const std::size_t length = random.below(random.pick<std::size_t>({2, 20, 20, 200, 3'000}));
      lists.push_back({pool.allocate(length), length, ++mark});
      BOOST_REQUIRE((length == 0 || lists.back().offset > 0));  // 0 takes writes that belong nowhere
      std::fill_n(pool.at(lists.back().offset), length, mark);
    } else {
      std::swap(lists[random.below(lists.size())], lists.back());
      check(lists.back());
      pool.release(lists.back().offset, lists.back().length);
      lists.pop_back();
    }
  }
  for (const List& list : lists) check(list);
}

BOOST_AUTO_TEST_CASE(the_memory_of_a_list_serves_again) {
  PositionPool<std::uint32_t> pool;
  const std::uint64_t first = pool.allocate(100);
  pool.allocate(1);
  pool.release(first, 100);
  BOOST_TEST(pool.allocate(64) == first);
  BOOST_TEST(pool.allocate(32) == first + 64);
  pool.clear();
  BOOST_TEST(pool.allocate(5) == first);
}

BOOST_AUTO_TEST_CASE(readers_may_look_past_the_end_of_a_list) {
  PositionPool<std::uint64_t> pool;
  for (int i = 0; i < 12; ++i) {
    const std::uint64_t offset = pool.allocate(std::uint64_t{1} << (2 * i));
    std::uint64_t sum = 0;
    for (std::uint64_t k = 0; k < pool.kSlack; ++k)
      sum += *pool.at(offset + (std::uint64_t{1} << (2 * i)) + k);
    BOOST_TEST(sum == 0);
  }
}

BOOST_AUTO_TEST_CASE(reserved_positions_move_nothing) {
  PositionPool<std::uint32_t> pool;
  pool.reserve(1'000'000);
  const std::uint32_t* const first = pool.at(pool.allocate(1));
  std::uint64_t last = 0;
  for (int i = 0; i < 999; ++i) last = pool.allocate(1'001);
  BOOST_TEST(pool.at(1) == first);
  BOOST_TEST(pool.at(last) == first + last - 1);
}

BOOST_AUTO_TEST_CASE(a_table_of_pairs_agrees_with_a_map) {
  Random random(2);
  for (const std::uint64_t keys : {50u, 5'000u, 200'000u}) {
    PairTable<std::uint32_t> table;
    std::map<std::uint32_t, std::uint64_t> map;
    for (int i = 0; i < 100'000; ++i) {
      const auto key = static_cast<std::uint32_t>(1 + random.below(keys) * 0x10001);
      if (random.below(2) == 0) {
        const PairRecord<std::uint32_t>* found = table.find(key);
        BOOST_REQUIRE((found != nullptr) == map.contains(key));
        if (found != nullptr) BOOST_REQUIRE(found->count == map[key]);
      } else {
        table.reserve(1);
        ++table.insert(key).count;
        ++map[key];
      }
    }
    std::size_t visited = 0;
    table.for_each([&](const PairRecord<std::uint32_t>& record) {
      ++visited;
      BOOST_REQUIRE(map.at(record.key) == record.count);
    });
    BOOST_TEST(visited == map.size());
    table.clear();
    table.for_each([](const auto&) { BOOST_ERROR("not cleared"); });
    BOOST_TEST(table.find(1) == nullptr);
  }
}

BOOST_AUTO_TEST_CASE(reserved_room_moves_nothing) {
  PairTable<std::uint64_t> table;
  table.reserve(100'000);
  PairRecord<std::uint64_t>* const first = &table.insert(1);
  for (std::uint64_t key = 2; key <= 100'000; ++key) table.insert(key << 32 | 1);
  BOOST_TEST(table.find(1) == first);
  BOOST_TEST(table.find(std::uint64_t{100'000} << 32 | 1) != nullptr);
  BOOST_TEST(table.find(2) == nullptr);
}

BOOST_AUTO_TEST_CASE(as_many_records_as_were_said_to_fit_do_fit) {
  using Table = PairTable<std::uint32_t>;
  BOOST_TEST(Table::records_in(30) == 0u);
  for (std::uint64_t bytes = 2 << 20; bytes < std::uint64_t{64} << 20; bytes = bytes / 2 * 3) {
    const std::uint64_t records = Table::records_in(bytes);
    Table table;
    table.reserve(records);
    for (std::uint32_t key = 1; key <= records; ++key) table.insert(key);
    BOOST_TEST(table.memory() <= bytes);
    BOOST_TEST(table.memory() > bytes / 3);
  }
}

BOOST_AUTO_TEST_SUITE_END()
