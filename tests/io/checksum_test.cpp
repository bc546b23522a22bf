#include "io/checksum.h"

#include <boost/test/unit_test.hpp>

#include "io/scratch.h"
#include "support.h"

using namespace tokmill;
using namespace tokmill::test;

BOOST_AUTO_TEST_SUITE(checksum_test)

// Files hold these numbers: another hash would make all of them unreadable.
BOOST_AUTO_TEST_CASE(is_xxh3_of_64_bits) {
  BOOST_TEST(Checksum::of("") == 0x2D06800538D394C2u);
  BOOST_TEST(Checksum::of("a") == 0xE6C632B61E964E1Fu);
  BOOST_TEST(Checksum::of("abc") == 0x78AF5F94892F3950u);
  BOOST_TEST(Checksum().value() == 0x2D06800538D394C2u);
}

BOOST_AUTO_TEST_CASE(pieces_equal_the_whole) {
  Random random(4);
  for (int round = 0; round < 100; ++round) {
    const std::string bytes = random.bytes(random.between(0, 3000));
    Checksum checksum;
    for (std::size_t at = 0, size; at < bytes.size(); at += size) {
      size = random.between(0, std::min<std::size_t>(bytes.size() - at, 700));
      checksum.update(std::string_view(bytes).substr(at, size));
    }
    BOOST_TEST(checksum.value() == Checksum::of(bytes));
    BOOST_TEST(checksum.value() == Checksum::of(bytes));  // asking changes nothing
  }
}

BOOST_AUTO_TEST_CASE(every_bit_counts) {
  Random random(5);
  std::string bytes = random.bytes(300);
  const std::uint64_t whole = Checksum::of(bytes);
  for (char& byte : bytes) {
    for (int bit = 0; bit < 8; ++bit) {
      byte = static_cast<char>(byte ^ 1 << bit);
      BOOST_TEST(Checksum::of(bytes) != whole);
      byte = static_cast<char>(byte ^ 1 << bit);
    }
  }
}

BOOST_AUTO_TEST_CASE(is_spelled_with_all_its_digits) {
  BOOST_TEST(spell_checksum(0) == "xxh3:0000000000000000");
  BOOST_TEST(spell_checksum(0xFEDCBA987654321) == "xxh3:0fedcba987654321");
  BOOST_TEST(spell_checksum(~std::uint64_t{0}) == "xxh3:ffffffffffffffff");
}

BOOST_AUTO_TEST_CASE(of_a_file_is_that_of_its_bytes) {
  const ScratchDirectory scratch;
  Random random(6);
  // It is read in pieces of a mebibyte.
  for (const std::size_t size : {0u, 1u, 5000u, (1u << 20) - 1, 1u << 20, (1u << 20) + 1, (3u << 20) + 17}) {
    const std::string bytes = random.bytes(size);
    put_file(scratch / "file", bytes);
    BOOST_TEST(checksum_of_file(scratch / "file") == Checksum::of(bytes), size << " bytes");
  }
  BOOST_CHECK_THROW(checksum_of_file(scratch / "missing"), Error);
}

BOOST_AUTO_TEST_SUITE_END()
