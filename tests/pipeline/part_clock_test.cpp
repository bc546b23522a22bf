#include "pipeline/part_clock.h"

#include <boost/test/unit_test.hpp>
#include <thread>

using namespace tokmill;

BOOST_AUTO_TEST_SUITE(part_clock_test)

BOOST_AUTO_TEST_CASE(times_of_a_part_add_up) {
  const auto nap = [] { std::this_thread::sleep_for(std::chrono::milliseconds(5)); };
  PartClock clock;
  clock.begin("index");
  nap();
  clock.begin("merge_loop");
  nap();
  clock.begin("index");
  nap();
  clock.end();
  nap();
  clock.end();
  BOOST_REQUIRE(clock.parts().size() == 2);
  const StageCost &index = clock.parts()[0], &merges = clock.parts()[1];
  BOOST_TEST(index.name == "index");
  BOOST_TEST(merges.name == "merge_loop");
  BOOST_TEST(index.seconds >= 0.010);
  BOOST_TEST(merges.seconds >= 0.005);
  BOOST_TEST(index.seconds < 10);
}

BOOST_AUTO_TEST_CASE(the_memory_of_a_part_is_the_most_at_its_ends) {
  PartClock clock;
  const auto part_with = [&](const char* name, std::size_t size) {
    clock.begin(name);
    const std::vector<char> memory(size, 'x');
    BOOST_TEST(memory.back() == 'x');
    clock.end();
  };
  constexpr std::size_t kMuch = 32 << 20;
  part_with("small", 1);
  part_with("large", kMuch);
  part_with("large", 1);
  BOOST_TEST(clock.parts()[0].peak_memory > 0);
  BOOST_TEST(clock.parts()[1].peak_memory > kMuch);
}

BOOST_AUTO_TEST_CASE(parts_as_json) {
  const std::vector<StageCost> parts = {{"words", 1.5, 7}, {"write", 0.25, std::uint64_t{1} << 40}};
  const std::vector<StageCost> again = PartClock::from_json(PartClock::to_json(parts));
  BOOST_REQUIRE(again.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    BOOST_TEST(again[i].name == parts[i].name);
    BOOST_TEST(again[i].seconds == parts[i].seconds);
    BOOST_TEST(again[i].peak_memory == parts[i].peak_memory);
  }
  BOOST_TEST(PartClock::from_json({}).empty());
  BOOST_TEST(PartClock().parts().empty());
}

BOOST_AUTO_TEST_SUITE_END()
