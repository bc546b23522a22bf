#include "text/pretoken_block.h"

#include <boost/test/unit_test.hpp>
#include <string>

#include "io/error.h"

using namespace tokmill;

BOOST_AUTO_TEST_SUITE(pretoken_block_test)

BOOST_AUTO_TEST_CASE(appended_pretokens_can_be_read_through_either_array) {
  const std::string text = "onetwo";
  PretokenBlock block;
  block.clear(text.data());
  block.append(text.data(), text.data() + 3);
  block.append(text.data() + 3, text.data() + 6);
  BOOST_TEST(block.size == 2);
  BOOST_TEST((block[0] == "one" && block[1] == "two"));
  block.end = block.ends.data();
  BOOST_TEST((block[0] == "one" && block[1] == "two"));
  block.clear(text.data());
  BOOST_TEST(block.size == 0);
}

BOOST_AUTO_TEST_CASE(is_full_before_its_capacity) {
  const std::string text(PretokenBlock::kCapacity, 'x');
  PretokenBlock block;
  block.clear(text.data());
  while (!block.full()) block.append(text.data() + block.size, text.data() + block.size + 1);
  BOOST_TEST(block.size == PretokenBlock::kEnough);
}

BOOST_AUTO_TEST_CASE(places_beyond_4_gib_are_an_error) {
  // Nothing is read there: only the distance counts.
  const auto place = [](std::uint64_t offset) { return reinterpret_cast<const char*>(offset); };
  PretokenBlock block;
  block.clear(place(0x1000));
  BOOST_TEST(block.offset(place(0x1000 + 0xFFFFFFFFull)) == 0xFFFFFFFF);
  BOOST_CHECK_THROW(block.offset(place(0x1000 + 0x100000000ull)), Error);
  BOOST_CHECK_THROW(block.append(place(0x2000), place(0x200000000)), Error);
}

BOOST_AUTO_TEST_SUITE_END()
