#include "text/scanner.h"

#include <boost/test/unit_test.hpp>

#include "io/error.h"
#include "text/scanning.h"

using namespace tokmill;

BOOST_AUTO_TEST_SUITE(scanner_test)

BOOST_AUTO_TEST_CASE(every_pattern_has_a_name_and_a_scanner) {
  for (const Pattern pattern : {Pattern::kGpt2, Pattern::kWhitespace, Pattern::kNone}) {
    BOOST_TEST((pattern_from_name(pattern_name(pattern)) == pattern));
    BOOST_TEST((make_scanner(pattern) != nullptr));
  }
}

BOOST_AUTO_TEST_CASE(an_unknown_name_is_answered_with_the_known_ones) {
  const auto names_them = [](const UsageError& error) {
    return std::string(error.what()).find("gpt2, whitespace, none") != std::string::npos;
  };
  BOOST_CHECK_EXCEPTION(pattern_from_name("gpt3"), UsageError, names_them);
}

BOOST_AUTO_TEST_CASE(scanners_are_those_of_their_patterns) {
  using Spelled = std::vector<std::string>;
  BOOST_TEST((test::spell(*make_scanner(Pattern::kGpt2), "a  b") == Spelled{"a", " ", " b"}));
  BOOST_TEST((test::spell(*make_scanner(Pattern::kWhitespace), "a  b") == Spelled{"a", "b"}));
  BOOST_TEST((test::spell(*make_scanner(Pattern::kNone), "a  b") == Spelled{"a  b"}));
}

BOOST_AUTO_TEST_SUITE_END()
