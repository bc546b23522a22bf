#include "text/utf8_iterator.h"

#include <boost/test/unit_test.hpp>
#include <vector>

#include "text/scanning.h"

using namespace tokmill;

BOOST_AUTO_TEST_SUITE(utf8_iterator_test)

BOOST_AUTO_TEST_CASE(goes_back_through_the_places_it_came_by) {
  test::Random random(1);
  for (int i = 0; i < 20'000; ++i) {
    const std::string text = test::nasty_text(random, 12);
    const char* const begin = text.data();
    const char* const end = begin + text.size();
    std::vector<const char*> places;
    Utf8Iterator at(begin, begin, end);
    const Utf8Iterator last(begin, end, end);
    while (at != last) {
      places.push_back(at.place());
      at++;
    }
    BOOST_REQUIRE(at.place() == end);
    while (!places.empty()) {
      --at;
      if (at.place() != places.back()) BOOST_FAIL(test::escaped(text));
      places.pop_back();
    }
  }
}

BOOST_AUTO_TEST_CASE(an_invalid_byte_is_a_character_of_its_own) {
  const std::string text = "\xE4\xB8z\u4E00";
  const Utf8Iterator begin(text.data(), text.data(), text.data() + text.size());
  const Utf8Iterator end(text.data(), text.data() + text.size(), text.data() + text.size());
  const std::u32string got(begin, end);
  const char32_t invalid = Utf8Character::kInvalidByte;
  BOOST_TEST((got == std::u32string{invalid, invalid, U'z', 0x4E00}));
}

BOOST_AUTO_TEST_SUITE_END()
