#include "text/vector_gpt2_scanner.h"

#include <boost/test/unit_test.hpp>

#include "text/regex_scanner.h"
#include "text/scanning.h"
#include "text/utf8.h"

using namespace tokmill;
using test::escaped;
using test::nasty_atoms;
using test::nasty_text;
using test::PaddedText;
using test::Random;
using test::spans;

namespace {

// Compares every instruction set with the scalar scanner, which is compared with the regular expression
// elsewhere. There must be kSlack bytes after `end`.
void check(const char* begin, const char* end) {
  static const Gpt2Scanner scalar;
  const auto expected = spans(scalar, begin, begin, end);
  for (const VectorTarget& target : vector_targets()) {
    if (spans(VectorGpt2Scanner(target), begin, begin, end) == expected) continue;
    BOOST_ERROR(std::string(target.name) + " differs on " + escaped({begin, end}));
  }
}

void check(std::string_view text) {
  const PaddedText padded(text);
  check(padded.begin(), padded.end());
}

bool is_surrogate(std::uint32_t code_point) {
  return code_point >= 0xD800 && code_point < 0xE000;
}

std::string utf8(std::uint32_t code_point) {
  std::string text;
  append_utf8(text, code_point);
  return text;
}

// Where characters of a script, or of a kind that scanners must know, lie; often those of one and the next
// page.
struct Range {
  std::uint32_t first, last;
};
constexpr Range kRanges[] = {
    {0x20, 0x7E},       {0x80, 0xFF},       {0xA0, 0xA0},       {0x85, 0x85},       {0x100, 0x24F},
    {0x300, 0x36F},     {0x370, 0x3FF},     {0x400, 0x4FF},     {0x5D0, 0x5EA},     {0x600, 0x6FF},
    {0x660, 0x669},     {0x7C0, 0x7FF},     {0x800, 0x8FF},     {0x900, 0x97F},     {0xE00, 0xE5B},
    {0x1680, 0x169C},   {0x1680, 0x1680},   {0x1E00, 0x1FFF},   {0x2000, 0x206F},   {0x2028, 0x2029},
    {0x2150, 0x218F},   {0x2460, 0x249B},   {0x3000, 0x303F},   {0x3000, 0x3000},   {0x3040, 0x309F},
    {0x30A0, 0x30FF},   {0x3220, 0x32FF},   {0x4D80, 0x4E3F},   {0x4E00, 0x9FFF},   {0xA000, 0xA4CF},
    {0xAC00, 0xD7FF},   {0xE000, 0xE0FF},   {0xFE50, 0xFEFF},   {0xFF00, 0xFFEF},   {0xFFF0, 0xFFFF},
    {0x10000, 0x100FF}, {0x1D7CE, 0x1D7FF}, {0x1F300, 0x1F6FF}, {0x20000, 0x2A6DF}, {0x10FF00, 0x10FFFF}};

// A text in a few scripts, its words of one script each; in one of two a byte is now and then lost or
// another.
std::string text_in_scripts(Random& random, std::size_t size) {
  const std::size_t damaged = random.below(2) == 0 ? 0 : 1 + random.below(100);  // in a thousand
  std::vector<Range> scripts(random.between(1, 6));
  for (Range& script : scripts) script = kRanges[random.below(std::size(kRanges))];
  std::string text;
  while (text.size() < size) {
    const Range script = scripts[random.below(scripts.size())];
    for (std::size_t n = random.between(1, 12); n > 0; --n) {
      std::string c =
          utf8(script.first + static_cast<std::uint32_t>(random.below(script.last - script.first + 1)));
      if (random.below(1000) < damaged) {
        const std::size_t at = random.below(c.size());
        random.below(2) == 0 ? c.erase(at, 1) : c.replace(at, 1, random.bytes(1));
      }
      text += c;
    }
    text += random.pick(std::vector<std::string>{"", "", " ", " ", "  ", "\n", "1", "'s", "."});
  }
  return text;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(vector_gpt2_scanner_test)

BOOST_AUTO_TEST_CASE(equals_the_scalar_scanner_on_nasty_texts) {
  Random random(1);
  for (int i = 0; i < 8'000; ++i) check(nasty_text(random, 120));
  for (int i = 0; i < 100; ++i) check(nasty_text(random, 4000));
}

BOOST_AUTO_TEST_CASE(equals_the_regular_expression) {
  const RegexScanner twin(kGpt2Regex);
  Random random(2);
  for (int i = 0; i < 3'000; ++i) {
    const PaddedText text(nasty_text(random, 150));
    const auto expected = spans(twin, text);
    for (const VectorTarget& target : vector_targets()) {
      if (spans(VectorGpt2Scanner(target), text) == expected) continue;
      BOOST_ERROR(std::string(target.name) + " differs on " + escaped(text.view()));
    }
  }
}

BOOST_AUTO_TEST_CASE(every_pair_of_atoms_at_every_place_around_a_block_edge) {
  for (const std::string& first : nasty_atoms()) {
    for (const std::string& second : nasty_atoms()) {
      for (const std::size_t before : {60u, 61u, 62u, 63u}) {
        check(std::string(before, 'a') + first + second + "b ");
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_text_may_end_anywhere) {
  Random random(3);
  for (int i = 0; i < 60; ++i) {
    const std::string text = random.join(nasty_atoms(), 90);
    for (std::size_t size = text.size() > 140 ? text.size() - 140 : 0; size <= text.size(); ++size) {
      check(std::string_view(text).substr(0, size));
    }
  }
}

BOOST_AUTO_TEST_CASE(texts_in_all_scripts) {
  Random random(4);
  for (int i = 0; i < 4'000; ++i) check(text_in_scripts(random, random.below(400)));
  for (int i = 0; i < 100; ++i) check(text_in_scripts(random, 8'000));
}

BOOST_AUTO_TEST_CASE(texts_in_all_scripts_at_every_alignment) {
  Random random(5);
  for (int i = 0; i < 30; ++i) {
    const PaddedText text(std::string(64, 'a') + text_in_scripts(random, 200));
    for (int from = 0; from < 64; ++from) check(text.begin() + from, text.end());
  }
}

// What follows the text may go on like UTF-8, but is not of it.
BOOST_AUTO_TEST_CASE(characters_cut_off_by_the_end_are_invalid) {
  Random random(6);
  for (int i = 0; i < 60; ++i) {
    const PaddedText text(text_in_scripts(random, 140));
    for (const char* end = text.begin() + 1; end <= text.end(); ++end) check(text.begin(), end);
  }
}

BOOST_AUTO_TEST_CASE(every_character_between_others) {
  std::string alone, together;
  for (std::uint32_t c = 0x80; c < 0x110000; ++c) {
    if (is_surrogate(c)) continue;
    const std::string character = utf8(c);
    together += character;
    for (const char* const before : {"a", " ", "1", ".", "\u00E9", "\u3000"}) {
      for (const char* const after : {"a", "1", " "}) alone += before + character + after;
    }
    if (c % 0x100 != 0xFF) continue;
    check(alone);
    check(together);
    alone.clear();
    together.clear();
  }
}

// Every first and second byte, well-formed or not, in the middle of a block and over its edge.
BOOST_AUTO_TEST_CASE(every_beginning_of_a_character) {
  for (int first = 0x80; first < 0x100; ++first) {
    for (int second = 0; second < 0x100; ++second) {
      std::string text;
      for (const char* const third : {"\x80", "\xBF", "\xBF\x80", "a", "\xD8\xA7"}) {
        for (const std::size_t place : {30u, 60u, 61u, 62u, 63u}) {
          while (text.size() % 64 < place) text += text.size() % 64 + 2 <= place ? "\u0627" : "a";
          text += {static_cast<char>(first), static_cast<char>(second)};
          text += third;
          while (text.size() % 64 != 0) text += 'b';
        }
      }
      check(text);
    }
  }
}

BOOST_AUTO_TEST_CASE(blocks_fill_up_and_scans_go_on) {
  check(std::string(5000, 'a'));
  std::string dense;
  for (int i = 0; i < 5000; ++i) dense += "a1";
  check(dense);
  std::string mixed;
  for (int i = 0; i < 3000; ++i) mixed += i % 7 == 0 ? std::string(1 + i % 200, 'x') : "\u4E00.";
  check(mixed);
}

BOOST_AUTO_TEST_CASE(appends_to_a_block_that_holds_pretokens) {
  const PaddedText text("one two 3 four, five's six");
  for (const VectorTarget& target : vector_targets()) {
    const VectorGpt2Scanner scanner(target);
    PretokenBlock block;
    block.clear(text.begin());
    const char* const middle = text.begin() + 7;
    BOOST_TEST(scanner.scan(text.begin(), middle, block) == middle);
    BOOST_TEST(scanner.scan(middle, text.end(), block) == text.end());
    BOOST_TEST(block.size == 8u);
    BOOST_TEST(block[0] == "one");
    BOOST_TEST(block[2] == " 3");
    BOOST_TEST(block[6] == "'s");
    BOOST_TEST(block[7] == " six");
  }
}

BOOST_AUTO_TEST_SUITE_END()
