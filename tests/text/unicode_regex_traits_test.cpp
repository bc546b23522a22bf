#include "text/unicode_regex_traits.h"

#include <boost/test/unit_test.hpp>
#include <string_view>

#include "text/utf8.h"

using namespace tokmill;

namespace {

UnicodeRegexTraits::char_class_type named(std::u32string_view name) {
  return UnicodeRegexTraits().lookup_classname(name.data(), name.data() + name.size());
}

bool is(char32_t c, std::u32string_view name) {
  return UnicodeRegexTraits().isctype(c, named(name));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(unicode_regex_traits_test)

BOOST_AUTO_TEST_CASE(classes_are_those_of_the_tables) {
  for (char32_t c = 0; c < 0x110000; ++c) {
    if (is(c, U"L") != (class_of(c) == kLetter) || is(c, U"N") != (class_of(c) == kNumber) ||
        is(c, U"s") != (class_of(c) == kWhiteSpace) ||
        is(c, U"w") != (class_of(c) == kLetter || class_of(c) == kNumber || c == U'_')) {
      BOOST_ERROR("U+" << std::hex << static_cast<std::uint32_t>(c));
    }
  }
}

BOOST_AUTO_TEST_CASE(an_invalid_byte_is_in_no_class) {
  for (const std::u32string_view name : {U"L", U"N", U"s", U"w", U"d", U"lower", U"upper"}) {
    BOOST_TEST(!is(Utf8Character::kInvalidByte, name));
  }
}

BOOST_AUTO_TEST_CASE(what_the_tables_do_not_carry_is_unknown) {
  BOOST_TEST(named(U"Lu") == 0);
  BOOST_TEST(named(U"") == 0);
  BOOST_TEST(named(U"Han") == 0);
}

BOOST_AUTO_TEST_CASE(digits_and_case_are_those_of_ascii) {
  const UnicodeRegexTraits traits;
  BOOST_TEST((is(U'7', U"d") && !is(U'\u0667', U"d") && is(U'q', U"lower") && is(U'Q', U"upper")));
  BOOST_TEST((traits.translate_nocase(U'Q') == U'q' && traits.translate_nocase(U'\u00C9') == U'\u00C9'));
  BOOST_TEST(traits.value(U'7', 8) == 7);
  BOOST_TEST(traits.value(U'8', 8) == -1);
  BOOST_TEST(traits.value(U'f', 16) == 15);
  BOOST_TEST(traits.value(U'g', 16) == -1);
}

BOOST_AUTO_TEST_SUITE_END()
