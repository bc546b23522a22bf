#include "text/gpt2_scanner.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "text/classified_character.h"
#include "text/regex_scanner.h"
#include "text/scanning.h"

using namespace tokmill;
using test::escaped;
using test::PaddedText;
using test::Random;
using test::Span;
using test::spans;
using Spelled = std::vector<std::string>;

namespace {

Spelled spell(std::string_view text) {
  return test::spell(Gpt2Scanner(), text);
}

bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

// Read from the front, after any text that might precede: ASCII white space after a character that is none.
// Where up to two bytes, all of the kind that continues a character, follow the begin, the answer is no.
bool slow_is_safe_cut(std::string_view text, std::size_t p) {
  static const Spelled kBefore = {"",     " ",        "x",        "\xC2", "\xE1\x9A", "\xE1",
                                  "\xE2", "\xE2\x80", "\xE2\x81", "\xE3", "\xE3\x80"};
  if (!is_ascii_white_space(static_cast<std::uint8_t>(text[p]))) return false;
  if (p < 3 && std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(p), is_continuation))
    return false;
  for (const std::string& before : kBefore) {
    const std::string whole = before + std::string(text.substr(0, p));
    const char* const end = whole.data() + whole.size();
    ClassifiedCharacter character{kWhiteSpace, 0};
    for (const char* at = whole.data(); at != end; at += character.length) character = classify(at, end);
    if (character.character_class == kWhiteSpace) return false;
  }
  return true;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(gpt2_scanner_test)

BOOST_AUTO_TEST_CASE(the_example_of_the_contract) {
  const Spelled expected = {"I",  "'m", " 26",           "岁", ",",  " 住在", " 101",
                            "号", ".",  " 很高兴认识你", "!",  "   "};
  BOOST_TEST(spell("I'm 26岁, 住在 101号. 很高兴认识你!   ") == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(contractions_begin_a_pretoken_and_are_lower_case) {
  BOOST_TEST(
      (spell("don't we'll I've you're") == Spelled{"don", "'t", " we", "'ll", " I", "'ve", " you", "'re"}));
  BOOST_TEST((spell("'sup") == Spelled{"'s", "up"}));
  BOOST_TEST((spell("!'s") == Spelled{"!'", "s"}));
  BOOST_TEST((spell(" 's") == Spelled{" '", "s"}));
  BOOST_TEST((spell("IT'S") == Spelled{"IT", "'", "S"}));
  BOOST_TEST((spell("''t") == Spelled{"''", "t"}));
  BOOST_TEST((spell("a'") == Spelled{"a", "'"}));
  BOOST_TEST((spell("a'l") == Spelled{"a", "'", "l"}));
  BOOST_TEST((spell("a'vx") == Spelled{"a", "'", "vx"}));
}

BOOST_AUTO_TEST_CASE(a_word_takes_the_one_space_before_it) {
  BOOST_TEST((spell("a b") == Spelled{"a", " b"}));
  BOOST_TEST((spell("a   b") == Spelled{"a", "  ", " b"}));
  BOOST_TEST((spell("a \n1") == Spelled{"a", " ", "\n", "1"}));
  BOOST_TEST((spell("a\n !") == Spelled{"a", "\n", " !"}));
  BOOST_TEST((spell("a\tb") == Spelled{"a", "\t", "b"}));
  BOOST_TEST((spell("\r\n\r\nx") == Spelled{"\r\n\r", "\n", "x"}));
  BOOST_TEST((spell("a \n ") == Spelled{"a", " \n "}));
  BOOST_TEST((spell(" ") == Spelled{" "}));
  BOOST_TEST(spell("").empty());
}

BOOST_AUTO_TEST_CASE(white_space_is_that_of_unicode) {
  BOOST_TEST((spell("a\u3000b") == Spelled{"a", "\u3000", "b"}));
  BOOST_TEST((spell("a\u3000 b") == Spelled{"a", "\u3000", " b"}));
  BOOST_TEST((spell("a \u00A0b") == Spelled{"a", " ", "\u00A0", "b"}));
  BOOST_TEST((spell("a\u0085\u0085b") == Spelled{"a", "\u0085", "\u0085", "b"}));
  BOOST_TEST((spell("a \u200Bb") == Spelled{"a", " \u200B", "b"}));
  BOOST_TEST((spell("a \x1Cz") == Spelled{"a", " \x1C", "z"}));
}

BOOST_AUTO_TEST_CASE(an_invalid_byte_is_neither_letter_number_nor_white_space) {
  BOOST_TEST((spell("a\xFF!\xC2 b") == Spelled{"a", "\xFF!\xC2", " b"}));
  BOOST_TEST((spell("\xE3\x80 \x80z") == Spelled{"\xE3\x80", " \x80", "z"}));
  BOOST_TEST((spell("\xED\xA0\x80\xE4\xB8") == Spelled{"\xED\xA0\x80\xE4\xB8"}));
  BOOST_TEST((spell("\xC0\xA0") == Spelled{"\xC0\xA0"}));
}

BOOST_AUTO_TEST_CASE(agrees_with_its_slow_twin_and_drops_nothing) {
  const Gpt2Scanner scanner;
  const RegexScanner twin(kGpt2Regex);
  Random random(1);
  for (int i = 0; i < 60'000; ++i) {
    const PaddedText text(test::nasty_text(random, i % 100 == 0 ? 1'000 : 30));
    const std::vector<Span> all = spans(scanner, text);
    BOOST_REQUIRE_MESSAGE(all == spans(twin, text), escaped(text));
    std::size_t at = 0;
    for (const Span& span : all) {
      BOOST_REQUIRE(span.begin == at && span.end > at);
      at = span.end;
    }
    BOOST_REQUIRE(at == text.view().size());
  }
}

BOOST_AUTO_TEST_CASE(every_short_string_of_the_deciding_characters_agrees_with_the_slow_twin) {
  const Spelled atoms = {" ", "\n", "'", "s", "l", "1", "!", "\u3000", "\xE3"};
  const Gpt2Scanner scanner;
  const RegexScanner twin(kGpt2Regex);
  for (std::size_t number = 0; number < 9 * 9 * 9 * 9; ++number) {
    std::string spelled;
    for (std::size_t rest = number, i = 0; i < 4; ++i, rest /= 9) spelled += atoms[rest % 9];
    const PaddedText text(spelled);
    BOOST_REQUIRE_MESSAGE(spans(scanner, text) == spans(twin, text), escaped(text));
  }
}

BOOST_AUTO_TEST_CASE(can_go_on_from_every_boundary) {
  const Gpt2Scanner scanner;
  Random random(2);
  for (int i = 0; i < 10'000; ++i) {
    const PaddedText text(test::nasty_text(random, 30));
    const std::vector<Span> all = spans(scanner, text);
    for (auto span = all.begin(); span != all.end(); ++span) {
      const std::vector<Span> rest = spans(scanner, text.begin(), text.begin() + span->begin, text.end());
      BOOST_REQUIRE_MESSAGE(std::equal(span, all.end(), rest.begin(), rest.end()), escaped(text));
    }
  }
}

BOOST_AUTO_TEST_CASE(fills_blocks_that_hold_something_already) {
  const Gpt2Scanner scanner;
  Random random(3);
  const PaddedText text(random.join(test::nasty_atoms(), 3'000));
  const std::vector<Span> all = spans(scanner, text);
  for (std::size_t held = 0; held <= PretokenBlock::kEnough; held += 64) {
    PretokenBlock block;
    block.clear(text.begin());
    const char* at = text.begin();
    for (std::size_t i = 0; i < held; ++i)
      block.append(at, text.begin() + all[i].end), at += all[i].end - all[i].begin;
    const char* const next = scanner.scan(at, text.end(), block);
    BOOST_TEST(block.full());
    BOOST_TEST(block.size <= PretokenBlock::kCapacity);
    for (std::size_t i = 0; i < block.size; ++i) {
      BOOST_REQUIRE_EQUAL(block[i], text.view().substr(all[i].begin, all[i].end - all[i].begin));
    }
    BOOST_TEST((next == text.begin() + all[block.size - 1].end));
  }
}

BOOST_AUTO_TEST_CASE(safe_cuts_agree_with_a_slow_definition) {
  const Gpt2Scanner scanner;
  Random random(4);
  for (int i = 0; i < 10'000; ++i) {
    const PaddedText text(test::nasty_text(random, 12));
    const char* first = nullptr;
    const char* last = nullptr;
    for (std::size_t p = text.view().size(); p-- > 0;) {
      if (!slow_is_safe_cut(text, p)) continue;
      first = text.begin() + p;
      if (last == nullptr) last = first;
    }
    BOOST_REQUIRE_MESSAGE(scanner.first_safe_cut(text.begin(), text.begin(), text.end()) == first,
                          escaped(text));
    BOOST_REQUIRE_MESSAGE(scanner.last_safe_cut(text.begin(), text.end()) == last, escaped(text));
    if (first != nullptr) {
      BOOST_REQUIRE(scanner.first_safe_cut(text.begin(), first, text.end()) == first);
      const char* const second = scanner.first_safe_cut(text.begin(), first + 1, text.end());
      BOOST_REQUIRE_MESSAGE((second == nullptr) == (first == last), escaped(text));
    }
  }
}

BOOST_AUTO_TEST_CASE(cutting_at_a_safe_place_changes_no_pretoken) {
  const Gpt2Scanner scanner;
  Random random(5);
  std::size_t cuts = 0;
  for (int i = 0; i < 20'000; ++i) {
    const PaddedText text(test::nasty_text(random, 30));
    const std::vector<Span> all = spans(scanner, text);
    // The cut is looked for in the middle of the text only: what lies around it must not matter.
    const char* const begin = text.begin() + random.below(text.view().size() + 1);
    const char* const end = begin + random.below(static_cast<std::size_t>(text.end() - begin) + 1);
    const char* p = begin;
    while ((p = scanner.first_safe_cut(begin, p, end)) != nullptr) {
      std::vector<Span> parts = spans(scanner, text.begin(), text.begin(), p);
      const std::vector<Span> rest = spans(scanner, text.begin(), p, text.end());
      parts.insert(parts.end(), rest.begin(), rest.end());
      BOOST_REQUIRE_MESSAGE(parts == all, escaped(text) << " cut at " << p - text.begin());
      ++p;
      ++cuts;
    }
  }
  BOOST_TEST(cuts > 1'000);
}

BOOST_AUTO_TEST_SUITE_END()
