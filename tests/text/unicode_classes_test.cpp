#include "text/unicode_classes.h"

#include <array>
#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "text/utf8.h"

using namespace tokmill;

BOOST_AUTO_TEST_SUITE(unicode_classes_test)

BOOST_AUTO_TEST_CASE(white_space_is_exactly_the_property_of_the_standard) {
  const std::vector<std::uint32_t> expected = {
      0x09,   0x0A,   0x0B,   0x0C,   0x0D,   0x20,   0x85,   0xA0,   0x1680, 0x2000, 0x2001, 0x2002, 0x2003,
      0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200A, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000};
  std::vector<std::uint32_t> got;
  for (std::uint32_t c = 0; c < 0x110000; ++c) {
    if (class_of(c) == kWhiteSpace) got.push_back(c);
  }
  BOOST_TEST(got == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(letters) {
  for (const std::uint32_t c :
       {0x41u,   0x7Au,   0xAAu,    0xB5u,    0xE9u,    0x1C5u,   0x2B0u,   0x391u,
        0x416u,  0x5D0u,  0x627u,   0xE01u,   0x3042u,  0x4E00u,  0x9FFFu,  0xAC00u,
        0xD7A3u, 0xFF21u, 0x10330u, 0x1D400u, 0x20000u, 0x2A6DFu, 0x2EBF0u, 0x323AFu}) {
    BOOST_TEST(class_of(c) == kLetter, "U+" << std::hex << c);
  }
}

BOOST_AUTO_TEST_CASE(numbers_of_all_three_kinds) {
  for (const std::uint32_t c : {0x30u, 0x39u, 0x660u, 0x966u, 0xFF10u, 0x1D7D8u,  // Nd
                                0x2167u, 0x3007u, 0x10140u,                       // Nl
                                0xB2u, 0xBDu, 0x2460u, 0x3251u, 0x1F100u}) {      // No
    BOOST_TEST(class_of(c) == kNumber, "U+" << std::hex << c);
  }
}

BOOST_AUTO_TEST_CASE(others) {
  for (const std::uint32_t c :
       {0x00u,   0x1Cu,   0x1Fu,    0x21u,    0x5Fu,    0x7Fu,     0x300u,    0x301u,
        0x180Eu, 0x200Bu, 0x200Du,  0x2019u,  0x3001u,  0xD800u,   0xDFFFu,   0xE000u,
        0xFEFFu, 0xFFFDu, 0x1F600u, 0x323B0u, 0xE0101u, 0x10FFFFu, 0x110000u, Utf8Character::kInvalidByte}) {
    BOOST_TEST(class_of(c) == kOther, "U+" << std::hex << c);
  }
}

// Letters and numbers that Unicode 16.0 added, and one that 17.0 added: the version is the pinned one.
BOOST_AUTO_TEST_CASE(the_version_is_pinned) {
  BOOST_TEST(class_of(0x1C89) == kLetter);
  BOOST_TEST(class_of(0x105C0) == kLetter);
  BOOST_TEST(class_of(0x1CCF0) == kNumber);
  BOOST_TEST(class_of(0x323B0) == kOther);
}

BOOST_AUTO_TEST_CASE(the_small_tables_say_the_same) {
  using namespace unicode_tables;
  const auto bit = [](const std::uint8_t* table, std::uint32_t i) {
    return (table[i / 8] >> i % 8 & 1) != 0;
  };
  for (std::uint32_t c = 0; c < 0x800; ++c) {
    const bool white_space = class_of(c) == kWhiteSpace;
    BOOST_TEST(bit(kLetterOrWhiteSpace, c) == (class_of(c) == kLetter || white_space));
    BOOST_TEST(bit(kNumberOrWhiteSpace, c) == (class_of(c) == kNumber || white_space));
  }
  for (std::uint32_t page = 0; page < 0x10000 / 64; ++page) {
    bool all = true;
    for (std::uint32_t c = page * 64; c < page * 64 + 64; ++c) all &= class_of(c) == kLetter;
    BOOST_TEST(bit(kLetterPages, page) == all);
  }
  std::array<unsigned, 256> bytes{};
  for (std::uint32_t c = 0; c < 0x110000; ++c) {
    if (class_of(c) != kWhiteSpace) continue;
    std::string character;
    append_utf8(character, c);
    bytes[static_cast<std::uint8_t>(character[0])] |= character.size() == 1 ? 1u : 2u;
  }
  for (std::size_t byte = 0; byte < 256; ++byte) BOOST_TEST(kWhiteSpaceBytes[byte] == bytes[byte]);
}

// From the general categories of Unicode 16.0 (unicodedata2 16.0.0); a change of the table is a decision.
BOOST_AUTO_TEST_CASE(every_class_has_its_known_size) {
  std::array<int, 5> sizes{};
  for (std::uint32_t c = 0; c < 0x110000; ++c) ++sizes.at(class_of(c));
  BOOST_TEST(sizes[kLetter] == 141028);
  BOOST_TEST(sizes[kNumber] == 1911);
  BOOST_TEST(sizes[kWhiteSpace] == 25);
}

BOOST_AUTO_TEST_SUITE_END()
