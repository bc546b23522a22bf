#include "text/utf8.h"

#include <boost/test/unit_test.hpp>
#include <vector>

#include "support.h"
#include "text/scanning.h"

using namespace tokmill;
using test::escaped;
using test::Random;

namespace {

constexpr std::uint32_t kInvalid = Utf8Character::kInvalidByte;
constexpr std::string_view kFffd = "\xEF\xBF\xBD";

// Another way than the library's: take the bits as they come, then ask whether the code point may be spelled
// so.
Utf8Character slow_decode(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  static constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const std::uint8_t first = byte(0);
  const std::uint32_t length = first < 0x80             ? 1
                               : (first & 0xE0) == 0xC0 ? 2
                               : (first & 0xF0) == 0xE0 ? 3
                               : (first & 0xF8) == 0xF0 ? 4
                                                        : 0;
  if (length == 0 || text.size() < length) return {kInvalid, 1};
  if (length == 1) return {first, 1};
  std::uint32_t code_point = first & ((1u << (7 - length)) - 1);
  for (std::uint32_t i = 1; i < length; ++i) {
    if (byte(i) < 0x80 || byte(i) > 0xBF) return {kInvalid, 1};
    code_point = code_point * 64 + (byte(i) - 0x80);
  }
  const bool is_surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
  if (code_point < kLeast[length] || code_point > 0x10FFFF || is_surrogate) return {kInvalid, 1};
  return {code_point, length};
}

bool is_valid_character(std::string_view text) {
  const Utf8Character character = slow_decode(text);
  return character.code_point != kInvalid && character.length == text.size();
}

// Whether some bytes make one valid character of it: bytes at the edges of the ranges are enough to try.
bool begins_character(const std::string& text) {
  if (is_valid_character(text)) return true;
  if (text.size() >= 4) return false;
  for (const char* next = "\x80\x8F\x90\x9F\xA0\xBF"; *next != '\0'; ++next) {
    if (begins_character(text + *next)) return true;
  }
  return false;
}

// U+FFFD for each maximal subpart, by the definition: the longest beginning that could have gone on.
std::string slow_replace(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    std::size_t n = 0;
    while (n < text.size() && n < 4 && begins_character(std::string(text.substr(0, n + 1)))) {
      ++n;
      if (is_valid_character(text.substr(0, n))) break;
    }
    out += n > 0 && is_valid_character(text.substr(0, n)) ? text.substr(0, n) : kFffd;
    text.remove_prefix(std::max<std::size_t>(n, 1));
  }
  return out;
}

std::string replace_in_pieces(const std::vector<std::string_view>& pieces) {
  Utf8Replacer replacer;
  std::string out;
  for (const std::string_view piece : pieces) replacer.append(piece, out);
  replacer.finish(out);
  return out;
}

void check_decode(std::string_view text) {
  const Utf8Character expected = slow_decode(text);
  const Utf8Character got = decode_utf8(text.data(), text.data() + text.size());
  if (got.code_point != expected.code_point || got.length != expected.length) {
    BOOST_ERROR("decoding " << escaped(text) << " gives " << got.code_point << ", not "
                            << expected.code_point);
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(utf8_test)

BOOST_AUTO_TEST_CASE(decodes_every_string_of_one_and_two_bytes) {
  for (int first = 0; first < 256; ++first) {
    const std::string one(1, static_cast<char>(first));
    check_decode(one);
    for (int second = 0; second < 256; ++second) check_decode(one + static_cast<char>(second));
  }
}

BOOST_AUTO_TEST_CASE(decodes_random_strings_of_three_and_four_bytes) {
  Random random(1);
  for (int i = 0; i < 200'000; ++i) {
    std::string text = random.bytes(random.between(3, 5));
    text[0] = static_cast<char>(0xC0 | random.below(64));
    for (std::size_t k = 1; k < text.size(); ++k) {
      if (random.below(8) != 0) text[k] = static_cast<char>(0x80 | random.below(64));
    }
    check_decode(text);
  }
}

BOOST_AUTO_TEST_CASE(every_code_point_survives_and_is_invalid_when_cut_short) {
  for (std::uint32_t code_point = 0; code_point <= 0x10FFFF; ++code_point) {
    if (code_point == 0xD800) code_point = 0xE000;
    std::string text;
    append_utf8(text, code_point);
    const Utf8Character got = decode_utf8(text.data(), text.data() + text.size());
    const Utf8Character cut = text.size() == 1 ? Utf8Character{kInvalid, 1}
                                               : decode_utf8(text.data(), text.data() + text.size() - 1);
    if (got.code_point != code_point || got.length != text.size() || cut.code_point != kInvalid ||
        cut.length != 1) {
      BOOST_ERROR("code point " << code_point);
    }
  }
}

BOOST_AUTO_TEST_CASE(finds_the_first_invalid_byte) {
  BOOST_TEST(find_invalid_utf8("") == std::string_view::npos);
  BOOST_TEST(find_invalid_utf8("a\u00E9\u4E00\U0001F600") == std::string_view::npos);
  BOOST_TEST(find_invalid_utf8("a\x80") == 1);
  BOOST_TEST(find_invalid_utf8("\u4E00\xE4\xB8") == 3);
  BOOST_TEST(find_invalid_utf8("\xED\xA0\x80") == 0);
}

BOOST_AUTO_TEST_CASE(replaces_as_python_does) {
  // What bytes.decode(errors="replace") gives, with * for U+FFFD.
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", ""},
      {"abc", "abc"},
      {"a\x80"
       "b",
       "a*b"},
      {"\x80\x80", "**"},
      {"\xC0\x80", "**"},
      {"\xC1\xBF", "**"},
      {"\xC2", "*"},
      {"\xC2"
       "A",
       "*A"},
      {"\xC3"
       "z",
       "*z"},
      {"\xE0\x80\x80", "***"},
      {"\xE0\xA0", "*"},
      {"\xE0\xA0"
       "A",
       "*A"},
      {"\xE2\x82", "*"},
      {"\xE2\x82"
       "A",
       "*A"},
      {"\xE2", "*"},
      {"\xED\xA0\x80", "***"},
      {"\xED\x9F", "*"},
      {"\xEF\xBF", "*"},
      {"\xF0\x80\x80\x80", "****"},
      {"\xF0\x90", "*"},
      {"\xF0\x9F\x98", "*"},
      {"\xF0\x9F\x98"
       "A",
       "*A"},
      {"\xF0\x9F\xF0\x9F", "**"},
      {"\xF4\x90\x80\x80", "****"},
      {"\xF4\x8F\xBF", "*"},
      {"\xF5\x80\x80\x80", "****"},
      {"\xFF\xFE", "**"},
      {"\xF8\x88\x80\x80\x80", "*****"},
      {"a\xF1\x80\x80\xE1\x80\xC2"
       "b"
       "\x80"
       "c"
       "\x80\xBF"
       "d",
       "a***b*c**d"},
      {"\xC2\xC2\xC2", "***"},
      {"\xE1\x80\xE2\xF0\x91\x92\xF1\xBF"
       "A",
       "****A"},
  };
  for (const auto& [bytes, expected] : cases) {
    std::string spelled;
    for (const char c : expected) c == '*' ? spelled += kFffd : spelled += c;
    BOOST_TEST(replace_in_pieces({bytes}) == spelled, escaped(bytes));
    BOOST_TEST(slow_replace(bytes) == spelled, escaped(bytes));
  }
}

BOOST_AUTO_TEST_CASE(replaces_alike_however_the_text_is_cut) {
  Random random(2);
  for (int i = 0; i < 2'000; ++i) {
    const std::string text = i % 2 == 0 ? random.bytes(random.below(12)) : test::nasty_text(random, 6);
    const std::string_view view = text;
    const std::string expected = slow_replace(text);
    std::vector<std::string_view> bytes;
    for (std::size_t cut = 0; cut <= text.size(); ++cut) {
      BOOST_TEST(replace_in_pieces({view.substr(0, cut), view.substr(cut)}) == expected, escaped(text));
      if (cut < text.size()) bytes.push_back(view.substr(cut, 1));
    }
    BOOST_TEST(replace_in_pieces(bytes) == expected, escaped(text));
  }
}

BOOST_AUTO_TEST_CASE(a_replacer_can_be_used_again_after_the_end) {
  Utf8Replacer replacer;
  std::string out;
  replacer.append("\xE4\xB8", out);
  replacer.finish(out);
  replacer.append("\x80z", out);
  replacer.finish(out);
  BOOST_TEST(out == std::string(kFffd) + std::string(kFffd) + "z");
}

BOOST_AUTO_TEST_SUITE_END()
