#include "io/large_array.h"

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <limits>
#include <vector>

#include "support.h"

using namespace tokmill;
using tokmill::test::Random;

namespace {

struct Triple {
  std::uint8_t bytes[3];
};

}  // namespace

BOOST_AUTO_TEST_SUITE(large_array_test)

BOOST_AUTO_TEST_CASE(begins_empty_or_zero) {
  const LargeArray<int> none;
  BOOST_TEST(none.size() == 0);
  BOOST_TEST(none.data() == nullptr);
  const LargeArray<std::uint64_t> some(100'000);
  BOOST_TEST(some.size() == 100'000);
  for (std::size_t i = 0; i < some.size(); ++i) BOOST_REQUIRE(some[i] == 0);
}

BOOST_AUTO_TEST_CASE(resizes_as_a_vector_does) {
  Random random(9);
  for (int round = 0; round < 20; ++round) {
    LargeArray<std::uint16_t> array;
    std::vector<std::uint16_t> expected;
    for (int step = 0; step < 20; ++step) {
      const std::size_t size = random.between(0, random.pick<std::size_t>({3, 3000, 300'000}));
      array.resize(size);
      expected.resize(size);
      BOOST_REQUIRE(array.size() == expected.size());
      BOOST_TEST((std::equal(expected.begin(), expected.end(), array.data())), "resized to " << size);
      for (int i = 0; i < 100 && size > 0; ++i) {
        const std::size_t at = random.below(size);
        array[at] = expected[at] = static_cast<std::uint16_t>(random.between(1, 65535));
      }
      if (size > 0) array[size - 1] = expected[size - 1] = 7;
    }
  }
}

BOOST_AUTO_TEST_CASE(holds_values_that_cross_pages) {
  LargeArray<Triple> array(10'000);
  for (std::size_t i = 0; i < array.size(); ++i) {
    array[i] = {{static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(i >> 8), 1}};
  }
  array.resize(20'000);
  for (std::size_t i = 0; i < 10'000; ++i) {
    BOOST_REQUIRE(std::size_t{array[i].bytes[0]} + 256u * array[i].bytes[1] == i);
  }
  for (std::size_t i = 10'000; i < 20'000; ++i) BOOST_REQUIRE(array[i].bytes[2] == 0);
}

BOOST_AUTO_TEST_CASE(moves_hand_over_the_memory) {
  LargeArray<int> first(1000);
  first[999] = 5;
  const int* const data = first.data();
  LargeArray<int> second(std::move(first));
  BOOST_TEST(second.data() == data);
  BOOST_TEST(first.data() == nullptr);
  BOOST_TEST(first.size() == 0);
  LargeArray<int> third(7);
  third = std::move(second);
  BOOST_TEST(third.data() == data);
  BOOST_TEST(third[999] == 5);
  third.resize(0);
  BOOST_TEST(third.data() == nullptr);
}

BOOST_AUTO_TEST_CASE(more_than_there_is_throws_and_changes_nothing) {
  LargeArray<std::uint64_t> array(10);
  array[9] = 3;
  for (const std::size_t size :
       {std::size_t{1} << 57, std::size_t{1} << 61, (std::size_t{1} << 61) + 1, ~std::size_t{0}}) {
    BOOST_CHECK_THROW(array.resize(size), std::bad_alloc);
    BOOST_CHECK_THROW(LargeArray<std::uint64_t>{size}, std::bad_alloc);
  }
  BOOST_TEST(array.size() == 10);
  BOOST_TEST(array[9] == 3);
}

BOOST_AUTO_TEST_SUITE_END()
