#include "format/byte_spelling.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <set>
#include <vector>

#include "format/json_text.h"
#include "support.h"

using namespace tokmill;
using tokmill::test::Random;

namespace {

/// GPT-2's bytes_to_unicode(), step for step: the bytes that stand for themselves, then the rest from 256 on.
std::vector<unsigned> bytes_to_unicode() {
  std::vector<unsigned> bytes, characters;
  for (unsigned b = 33; b <= 126; ++b) bytes.push_back(b);
  for (unsigned b = 161; b <= 172; ++b) bytes.push_back(b);
  for (unsigned b = 174; b <= 255; ++b) bytes.push_back(b);
  characters = bytes;
  for (unsigned b = 0, n = 0; b < 256; ++b) {
    if (std::ranges::find(bytes, b) != bytes.end()) continue;
    bytes.push_back(b);
    characters.push_back(256 + n++);
  }
  std::vector<unsigned> out(256);
  for (std::size_t i = 0; i < 256; ++i) out[bytes[i]] = characters[i];
  return out;
}

/// The UTF-8 of a code point below 0x800.
std::string utf8(unsigned code_point) {
  if (code_point < 0x80) return std::string(1, static_cast<char>(code_point));
  return {static_cast<char>(0xC0 | code_point >> 6), static_cast<char>(0x80 | (code_point & 0x3F))};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(byte_spelling_test)

BOOST_AUTO_TEST_CASE(every_byte_is_spelled_as_gpt2_spells_it) {
  const std::vector<unsigned> characters = bytes_to_unicode();
  std::set<std::string> all;
  for (unsigned byte = 0; byte < 256; ++byte) {
    const std::string bytes(1, static_cast<char>(byte));
    BOOST_TEST(spell_bytes(bytes) == utf8(characters[byte]));
    BOOST_TEST((unspell_bytes(utf8(characters[byte])) == bytes), "byte " << byte);
    all.insert(spell_bytes(bytes));
  }
  BOOST_TEST(all.size() == 256);
}

BOOST_AUTO_TEST_CASE(known_spellings) {
  BOOST_TEST(spell_bytes(" the") == "\u0120the");
  BOOST_TEST(spell_bytes("\n") == "\u010A");
  BOOST_TEST(spell_bytes("\u00E9") == "\u00C3\u00A9");
  BOOST_TEST(spell_bytes("\xAD") == "\u0143");  // the last of those that do not stand for themselves
  BOOST_TEST(spell_bytes("") == "");
}

BOOST_AUTO_TEST_CASE(bytes_stand_in_the_order_of_their_characters) {
  const std::vector<unsigned> characters = bytes_to_unicode();
  const auto bytes = bytes_by_spelling();
  BOOST_TEST(std::set(bytes.begin(), bytes.end()).size() == 256);
  BOOST_TEST(std::ranges::is_sorted(bytes, {}, [&](std::uint8_t byte) { return characters[byte]; }));
  BOOST_TEST(bytes.front() == '!');
  BOOST_TEST(bytes.back() == 0xAD);
}

BOOST_AUTO_TEST_CASE(any_bytes_come_back) {
  Random random(30);
  for (int i = 0; i < 300; ++i) {
    const std::string bytes = random.bytes(random.between(0, 100));
    BOOST_TEST((unspell_bytes(spell_bytes(bytes)) == bytes));
  }
}

BOOST_AUTO_TEST_CASE(spelled_within_json) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all.push_back(static_cast<char>(byte));
  std::string out = "\"";
  append_spelled_json(out, all);
  BOOST_TEST(out + "\"" == quote(spell_bytes(all)));
}

BOOST_AUTO_TEST_CASE(a_character_that_spells_no_byte_gives_nothing) {
  const std::vector<unsigned> characters = bytes_to_unicode();
  for (unsigned code_point = 0; code_point < 0x800; ++code_point) {
    const bool spells = std::ranges::find(characters, code_point) != characters.end();
    BOOST_TEST(unspell_bytes("a" + utf8(code_point)).has_value() == spells, "U+" << std::hex << code_point);
  }
  for (const char* text : {" ", "a b", "\u20AC", "\U0001F600", "\xFF", "\xC4", "\xC4\xA0\xC4", "\xE2\x82"}) {
    BOOST_TEST(!unspell_bytes(text).has_value(), text);
    std::string out = "before";
    BOOST_TEST(!append_unspelled(out, text));
    BOOST_TEST(out == "before");
  }
  BOOST_TEST(unspell_bytes("").value() == "");
}

BOOST_AUTO_TEST_SUITE_END()
