#include "bpe/slot_table.h"

#include <boost/test/unit_test.hpp>
#include <map>

#include "support.h"

using namespace tokmill;
using test::Random;

namespace {

struct Slot {
  std::uint64_t place;  // its hash
  std::uint64_t name;   // 0: a free slot

  bool empty() const { return name == 0; }
  std::uint64_t hash() const { return place; }
};

const Slot& look_up(const SlotTable<Slot>& table, const Slot& slot) {
  return table.find(slot.place, [&](const Slot& other) { return other.name == slot.name; });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(slot_table_test)

// Hashes that crowd about a few places, the end of the table among them, so that what is at the end comes
// round to the beginning.
BOOST_AUTO_TEST_CASE(what_is_in_is_found_through_every_growth) {
  Random random(1);
  for (int i = 0; i < 300; ++i) {
    SlotTable<Slot> table(std::size_t{2} << random.below(5));
    const std::size_t crowd = random.pick<std::size_t>({1, 5, 40, 100'000});
    std::map<std::uint64_t, Slot> twin;
    const std::size_t number = random.between(1, 400);
    while (twin.size() < number) {
      const Slot slot{random.below(8) * 64 - random.below(crowd), twin.size() + 1};
      BOOST_REQUIRE(look_up(table, slot).empty());
      if (!table.has_room_for(1)) table.grow();
      if (random.below(200) == 0) table.reserve(table.size() << random.below(4));
      table.insert(slot);
      twin[slot.name] = slot;
      BOOST_REQUIRE(table.used() == twin.size());
      BOOST_REQUIRE(2 * table.used() <= table.size());
    }
    for (const auto& [name, slot] : twin) {
      const Slot& found = look_up(table, slot);
      BOOST_REQUIRE(found.name == name);
      BOOST_REQUIRE(found.place == slot.place);
    }
    const auto taken = std::ranges::count_if(table, [](const Slot& slot) { return !slot.empty(); });
    BOOST_TEST(static_cast<std::size_t>(taken) == twin.size());
  }
}

BOOST_AUTO_TEST_CASE(what_was_found_at_once_is_so_in_a_larger_table) {
  Random random(2);
  SlotTable<Slot> table(1'024);
  std::vector<Slot> at_once;
  for (std::uint64_t name = 1; name <= 512; ++name) {
    const Slot slot{random.below(std::size_t{1} << 40), name};
    table.insert(slot);
    if (&look_up(table, slot) == table.begin() + (slot.place & table.mask())) at_once.push_back(slot);
  }
  table.grow();
  for (const Slot& slot : at_once) {
    BOOST_TEST((&look_up(table, slot) == table.begin() + (slot.place & table.mask())));
  }
}

BOOST_AUTO_TEST_CASE(room_is_made_in_advance) {
  for (const std::size_t used : {0u, 1u, 8u}) {
    SlotTable<Slot> table(16);
    for (std::uint64_t name = 1; name <= used; ++name) table.insert({name * 1'000'003, name});
    table.reserve(256);
    BOOST_TEST(table.size() == 256u);
    table.reserve(32);
    BOOST_TEST(table.size() == 256u);
    for (std::uint64_t name = 1; name <= used; ++name) {
      BOOST_TEST((look_up(table, {name * 1'000'003, name}).name == name));
    }
  }
}

BOOST_AUTO_TEST_CASE(room_is_half_of_the_slots) {
  SlotTable<Slot> table(16);
  BOOST_TEST(table.has_room_for(8));
  BOOST_TEST(!table.has_room_for(9));
  table.insert({3, 1});
  BOOST_TEST(table.has_room_for(7));
  BOOST_TEST(!table.has_room_for(8));
  table.grow();
  BOOST_TEST(table.size() == 32u);
  BOOST_TEST(table.has_room_for(15));
}

BOOST_AUTO_TEST_SUITE_END()
