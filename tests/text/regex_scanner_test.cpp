#include "text/regex_scanner.h"

#include <boost/test/unit_test.hpp>

#include "io/error.h"
#include "text/scanning.h"

using namespace tokmill;
using Spelled = std::vector<std::string>;

namespace {

Spelled spell(const char* regex, std::string_view text) {
  return test::spell(RegexScanner(regex), text);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(regex_scanner_test)

BOOST_AUTO_TEST_CASE(pretokens_are_the_matches_and_the_rest_is_dropped) {
  BOOST_TEST((spell("b+", "abbcb") == Spelled{"bb", "b"}));
  BOOST_TEST(spell("b+", "").empty());
  BOOST_TEST(spell("b+", "xyz").empty());
}

BOOST_AUTO_TEST_CASE(the_gpt2_pattern) {
  BOOST_TEST((spell(kGpt2Regex, "it's  42岁!\n") == Spelled{"it", "'s", " ", " 42", "岁", "!", "\n"}));
}

BOOST_AUTO_TEST_CASE(properties_outside_and_inside_brackets) {
  const std::string_view text = "pL1{岁} \xFF";
  BOOST_TEST((spell("\\p{L}+", text) == Spelled{"pL", "岁"}));
  BOOST_TEST((spell("\\pL+", text) == Spelled{"pL", "岁"}));
  BOOST_TEST((spell("[\\p{L}]+", text) == Spelled{"pL", "岁"}));
  BOOST_TEST((spell("[\\pL\\p{N}]+", text) == Spelled{"pL1", "岁"}));
  BOOST_TEST((spell("[\\P{L}]+", text) == Spelled{"1{", "} \xFF"}));
  BOOST_TEST((spell("[^\\p{L}\\s]+", text) == Spelled{"1{", "}", "\xFF"}));
  BOOST_TEST((spell("[\\p{^L}]+", text) == Spelled{"1{", "} \xFF"}));
  BOOST_TEST((spell("\\P{L}+", text) == Spelled{"1{", "} \xFF"}));
}

BOOST_AUTO_TEST_CASE(negated_classes_outside_and_inside_brackets) {
  BOOST_TEST((spell("\\S+", "a\u3000b\xFF 1") == Spelled{"a", "b\xFF", "1"}));
  BOOST_TEST((spell("[\\Sx]+", "a\u3000b\xFF 1") == Spelled{"a", "b\xFF", "1"}));
  BOOST_TEST((spell("[^\\S ]+", "a \t\u3000b") == Spelled{"\t\u3000"}));
  BOOST_TEST((spell("\\D+|\\d", "ab12") == Spelled{"ab", "1", "2"}));
  BOOST_TEST((spell("\\W+", "ab, 12_!") == Spelled{", ", "!"}));
}

BOOST_AUTO_TEST_CASE(brackets_are_read_as_perl_reads_them) {
  BOOST_TEST((spell("[]\\p{N}]+", "a]1[") == Spelled{"]1"}));
  BOOST_TEST((spell("[^]\\p{N}]+", "a]1[") == Spelled{"a", "["}));
  BOOST_TEST((spell("[[:alpha:]\\p{N}]+", "a:1:") == Spelled{"a", "1"}));
  BOOST_TEST((spell("[\\]\\p{N}]+", "a]1[") == Spelled{"]1"}));
  BOOST_TEST((spell("\\[\\p{N}", "[1") == Spelled{"[1"}));
  BOOST_TEST((spell("[\\\\p]+", "a\\p") == Spelled{"\\p"}));
}

BOOST_AUTO_TEST_CASE(an_invalid_byte_is_one_character) {
  BOOST_TEST((spell(".", "\xE4\xB8\u4E00\x80") == Spelled{"\xE4", "\xB8", "\u4E00", "\x80"}));
}

BOOST_AUTO_TEST_CASE(anchors_dots_and_empty_matches) {
  BOOST_TEST((spell(".+", "ab\ncd") == Spelled{"ab", "cd"}));
  BOOST_TEST((spell("\\w+$", "ab\ncd") == Spelled{"cd"}));
  BOOST_TEST((spell("x*", "axxb") == Spelled{"xx"}));
}

BOOST_AUTO_TEST_CASE(possessive_and_lazy_quantifiers) {
  BOOST_TEST((spell("[^\\r\\n\\p{L}\\p{N}]?+\\p{L}+|\\p{N}{1,3}", " ab1234") == Spelled{" ab", "123", "4"}));
  BOOST_TEST((spell("a+?", "aaa") == Spelled{"a", "a", "a"}));
}

BOOST_AUTO_TEST_CASE(a_text_longer_than_a_block_goes_on_in_the_next) {
  std::string text;
  for (int i = 0; i < 2'000; ++i) text += "a ";
  BOOST_TEST(spell("a", text).size() == 2'000);
}

BOOST_AUTO_TEST_CASE(backtracking_without_end_is_an_error) {
  BOOST_CHECK_THROW(spell("(?:a|aa)+c", std::string(60, 'a')), Error);
}

BOOST_AUTO_TEST_CASE(what_is_no_regular_expression_is_refused_in_one_ascii_line) {
  for (const char* bad : {"(", "[a", "a{2,1}", "*", "\\p{Lu}", "[\\p{Lu}]", "\\p{S}", "[\\p{}]", "[\\p{L",
                          "\\p", "[\\p", "\xFF", "(岁\n"}) {
    const auto is_plain = [](const UsageError& error) {
      const std::string_view what = error.what();
      return !what.empty() &&
             std::all_of(what.begin(), what.end(), [](char c) { return c >= ' ' && c <= '~'; });
    };
    BOOST_CHECK_EXCEPTION(RegexScanner{bad}, UsageError, is_plain);
  }
}

BOOST_AUTO_TEST_SUITE_END()
