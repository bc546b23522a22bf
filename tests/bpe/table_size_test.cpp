#include "bpe/table_size.h"

#include <boost/test/unit_test.hpp>

using namespace tokmill;

BOOST_AUTO_TEST_SUITE(table_size_test)

BOOST_AUTO_TEST_CASE(slots_are_powers_of_two_and_grow_slower_than_the_text) {
  std::size_t before = slots_for_text(1023);
  for (std::uint64_t bytes = 1024; bytes < std::uint64_t{1} << 40; bytes *= 2) {
    const std::size_t slots = slots_for_text(bytes);
    BOOST_TEST(std::has_single_bit(slots));
    BOOST_TEST(slots >= before);
    BOOST_TEST(slots <= 2 * before);
    before = slots;
  }
  BOOST_TEST(slots_for_text(0) == 1u);
}

// 1.3 million different pretokens in 1 GB of web text.
BOOST_AUTO_TEST_CASE(a_gigabyte_has_about_a_million_different_pretokens) {
  BOOST_TEST(slots_for_text(1'000'000'000) == std::size_t{1} << 21);
}

BOOST_AUTO_TEST_SUITE_END()
