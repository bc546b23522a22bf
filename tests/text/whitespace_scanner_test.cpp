#include "text/whitespace_scanner.h"

#include <boost/test/unit_test.hpp>

#include "text/regex_scanner.h"
#include "text/scanning.h"

using namespace tokmill;
using test::escaped;
using test::PaddedText;
using test::Random;
using test::Span;
using test::spans;

BOOST_AUTO_TEST_SUITE(whitespace_scanner_test)

BOOST_AUTO_TEST_CASE(white_space_is_dropped_whatever_its_kind) {
  using Spelled = std::vector<std::string>;
  const WhitespaceScanner scanner;
  BOOST_TEST((test::spell(scanner, "low low\nlower") == Spelled{"low", "low", "lower"}));
  BOOST_TEST(
      (test::spell(scanner, "\u3000a\u00A0b\r\n\u0085 c\u200Bd\xA0 ") == Spelled{"a", "b", "c\u200Bd\xA0"}));
  BOOST_TEST(test::spell(scanner, " \t\u2003").empty());
  BOOST_TEST(test::spell(scanner, "").empty());
}

BOOST_AUTO_TEST_CASE(agrees_with_its_slow_twin_and_can_go_on_anywhere) {
  const WhitespaceScanner scanner;
  const RegexScanner twin("\\S+");
  Random random(1);
  for (int i = 0; i < 20'000; ++i) {
    const PaddedText text(test::nasty_text(random, 40));
    const std::vector<Span> all = spans(scanner, text);
    BOOST_REQUIRE_MESSAGE(all == spans(twin, text), escaped(text));
    for (std::size_t k = 0; k < all.size(); ++k) {
      const std::vector<Span> rest = spans(scanner, text.begin(), text.begin() + all[k].end, text.end());
      BOOST_REQUIRE_MESSAGE(
          std::equal(all.begin() + static_cast<std::ptrdiff_t>(k) + 1, all.end(), rest.begin(), rest.end()),
          escaped(text));
    }
  }
}

BOOST_AUTO_TEST_CASE(a_text_longer_than_a_block_goes_on_in_the_next) {
  const WhitespaceScanner scanner;
  Random random(2);
  const PaddedText text(random.join(test::nasty_atoms(), 5'000));
  BOOST_TEST((spans(scanner, text) == spans(RegexScanner("\\S+"), text)));
}

BOOST_AUTO_TEST_CASE(safe_cuts_are_the_places_before_ascii_white_space_and_change_nothing) {
  const WhitespaceScanner scanner;
  Random random(3);
  for (int i = 0; i < 3'000; ++i) {
    const PaddedText text(test::nasty_text(random, 30));
    const std::vector<Span> all = spans(scanner, text);
    const char* first = nullptr;
    const char* last = nullptr;
    for (const char* p = text.begin(); p != text.end(); ++p) {
      if (*p != ' ' && (*p < '\t' || *p > '\r')) continue;
      if (first == nullptr) first = p;
      if (p != text.begin()) last = p;
      std::vector<Span> parts = spans(scanner, text.begin(), text.begin(), p);
      const std::vector<Span> rest = spans(scanner, text.begin(), p, text.end());
      parts.insert(parts.end(), rest.begin(), rest.end());
      BOOST_REQUIRE_MESSAGE(parts == all, escaped(text));
    }
    BOOST_REQUIRE_MESSAGE(scanner.first_safe_cut(text.begin(), text.begin(), text.end()) == first,
                          escaped(text));
    BOOST_REQUIRE_MESSAGE(scanner.last_safe_cut(text.begin(), text.end()) == last, escaped(text));
  }
}

BOOST_AUTO_TEST_SUITE_END()
