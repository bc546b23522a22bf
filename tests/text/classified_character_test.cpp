#include "text/classified_character.h"

#include <boost/test/unit_test.hpp>
#include <string>

#include "support.h"

using namespace tokmill;

namespace {

void check(const std::string& text) {
  const char* const end = text.data() + text.size();
  const Utf8Character character = decode_utf8(text.data(), end);
  const ClassifiedCharacter got = classify(text.data(), end);
  if (got.length != character.length || got.character_class != class_of(character.code_point)) {
    BOOST_ERROR("code point " << character.code_point);
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(classified_character_test)

BOOST_AUTO_TEST_CASE(agrees_with_decoding_on_every_code_point_whole_and_cut_short) {
  for (std::uint32_t code_point = 0; code_point <= 0x10FFFF; ++code_point) {
    if (code_point == 0xD800) code_point = 0xE000;
    std::string text;
    append_utf8(text, code_point);
    check(text);
    text.pop_back();
    if (!text.empty()) check(text);
  }
}

BOOST_AUTO_TEST_CASE(agrees_with_decoding_on_random_bytes) {
  test::Random random(1);
  for (int i = 0; i < 200'000; ++i) check(random.bytes(random.between(1, 4)));
}

BOOST_AUTO_TEST_SUITE_END()
