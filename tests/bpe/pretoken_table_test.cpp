#include "bpe/pretoken_table.h"

#include <boost/test/unit_test.hpp>
#include <map>

#include "support.h"

using namespace tokmill;
using test::Random;

namespace {

template <class Id>
std::span<const Id> look_up(const PretokenTable<Id>& table, const std::string& pretoken) {
  if (pretoken.size() > PretokenKey::kMaxLength) {
    return table.find_long(pretoken, hash_long_pretoken(pretoken));
  }
  const PretokenKey key = PretokenKey::of(pretoken);
  const auto& slot = table.find(key, key.hash());
  if (slot.key.empty()) return {};
  BOOST_REQUIRE(slot.key == key);
  return {slot.count <= table.kInline ? slot.ids : table.spilled(slot), slot.count};
}

template <class Id>
void insert(PretokenTable<Id>& table, const std::string& pretoken, const std::vector<std::uint32_t>& ids) {
  const bool is_short = pretoken.size() <= PretokenKey::kMaxLength;
  table.insert(pretoken, is_short ? PretokenKey::of(pretoken).hash() : hash_long_pretoken(pretoken), ids);
}

// Fills a table far beyond its size. What it holds is right; how much it holds is returned.
template <class Id>
std::size_t fill(Random& random, std::size_t slots, std::size_t arena, std::size_t number) {
  PretokenTable<Id> table(slots, arena);
  std::map<std::string, std::vector<std::uint32_t>> map;
  while (map.size() < number) {
    const std::size_t length = random.below(4) == 0 ? random.between(16, 300) : random.between(1, 15);
    const std::string pretoken = random.bytes(length);
    if (map.contains(pretoken)) continue;
    if (random.below(500) == 0) table.reserve(std::size_t{1} << random.below(20));
    BOOST_REQUIRE(look_up(table, pretoken).empty());
    std::vector<std::uint32_t> ids(random.between(1, length));
    for (std::uint32_t& id : ids) id = static_cast<Id>(random.below(std::size_t{1} << (8 * sizeof(Id))));
    insert(table, pretoken, ids);
    map[pretoken] = ids;
  }
  std::size_t held = 0;
  for (const auto& [pretoken, ids] : map) {
    const std::span<const Id> found = look_up(table, pretoken);
    if (found.empty()) continue;
    ++held;
    BOOST_REQUIRE(std::ranges::equal(found, ids));
  }
  return held;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(pretoken_table_test)

BOOST_AUTO_TEST_CASE(an_empty_table_holds_nothing) {
  const PretokenTable<std::uint16_t> table(16, 1'024);
  BOOST_TEST(look_up(table, "a").empty());
  BOOST_TEST(look_up(table, "a pretoken of more than 15 bytes").empty());
}

BOOST_AUTO_TEST_CASE(a_large_table_holds_all) {
  Random random(1);
  BOOST_TEST(fill<std::uint16_t>(random, 1 << 14, 4 << 20, 3'000) == 3'000);
  BOOST_TEST(fill<std::uint32_t>(random, 1 << 14, 4 << 20, 3'000) == 3'000);
}

BOOST_AUTO_TEST_CASE(a_small_table_forgets_but_errs_not) {
  Random random(2);
  for (int i = 0; i < 30; ++i) {
    const std::size_t slots = std::size_t{8} << random.below(6);
    const std::size_t arena = random.pick<std::size_t>({64, 2'000, 50'000});
    const std::size_t held = i % 2 == 0 ? fill<std::uint16_t>(random, slots, arena, 1'500)
                                        : fill<std::uint32_t>(random, slots, arena, 1'500);
    BOOST_TEST(held > 0);
    BOOST_TEST(held <= slots);
  }
}

BOOST_AUTO_TEST_CASE(more_ids_than_a_slot_has_room_for) {
  PretokenTable<std::uint16_t> table(1'024, 1 << 20);
  for (std::size_t count = 1; count <= 15; ++count) {
    const std::string pretoken(count, static_cast<char>('a' + count));
    insert(table, pretoken, std::vector<std::uint32_t>(count, static_cast<std::uint32_t>(65'520 + count)));
    const auto found = look_up(table, pretoken);
    BOOST_REQUIRE(found.size() == count);
    BOOST_TEST(found[count - 1] == 65'520 + count);
  }
}

BOOST_AUTO_TEST_SUITE_END()
