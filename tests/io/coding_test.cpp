#include "io/coding.h"

#include <boost/test/unit_test.hpp>

#include "support.h"

using namespace tokmill;
using tokmill::test::Random;

namespace {

/// Its bytes by arithmetic alone.
std::string slow_varint(std::uint64_t value) {
  std::string out;
  while (value > 127) {
    out.push_back(static_cast<char>(value % 128 + 128));
    value /= 128;
  }
  return out + static_cast<char>(value);
}

/// The number that `bytes` begin with and the bytes it takes; 0 bytes where there is none.
std::pair<std::uint64_t, std::size_t> read(std::string_view bytes) {
  const char* p = bytes.data();
  std::uint64_t value = 0;
  if (!get_varint(p, bytes.data() + bytes.size(), value)) return {0, 0};
  return {value, static_cast<std::size_t>(p - bytes.data())};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(coding_test)

BOOST_AUTO_TEST_CASE(fixed_numbers_are_little_endian) {
  std::string out = "x";
  put_fixed(out, std::uint8_t{0xAB});
  put_fixed(out, std::uint16_t{0x1234});
  put_fixed(out, std::uint32_t{0xDEADBEEF});
  put_fixed(out, std::uint64_t{0x0102030405060708});
  const std::string expected("x\xAB\x34\x12\xEF\xBE\xAD\xDE\x08\x07\x06\x05\x04\x03\x02\x01");
  BOOST_TEST((out == expected));
  BOOST_TEST(get_fixed<std::uint16_t>(out.data() + 2) == 0x1234);
  BOOST_TEST(get_fixed<std::uint64_t>(out.data() + 8) == 0x0102030405060708u);  // at any address
}

BOOST_AUTO_TEST_CASE(varints_of_every_length_are_as_arithmetic_has_them) {
  Random random(7);
  for (int bits = 0; bits <= 64; ++bits) {
    const std::uint64_t least = bits == 0 ? 0 : std::uint64_t{1} << (bits - 1);
    for (int i = 0; i < 20; ++i) {
      const std::uint64_t value = i == 0   ? least
                                  : i == 1 ? least * 2 - 1
                                           : least + random.below(std::max<std::uint64_t>(least, 1));
      std::string out;
      put_varint(out, value);
      BOOST_TEST((out == slow_varint(value)), value);
      BOOST_TEST((read(out) == std::pair(value, out.size())), value);
      BOOST_TEST((read(out + "\xFF") == std::pair(value, out.size())), value);
      for (std::size_t cut = 0; cut < out.size(); ++cut) BOOST_TEST(read(out.substr(0, cut)).second == 0);
    }
  }
  BOOST_TEST(slow_varint(~std::uint64_t{0}).size() == kMaxVarintBytes);
}

BOOST_AUTO_TEST_CASE(varints_of_more_than_64_bits_are_refused) {
  const std::string nine(9, '\xFF');
  BOOST_TEST((read(nine + "\x01") == std::pair(~std::uint64_t{0}, std::size_t{10})));
  BOOST_TEST(read(nine + "\x02").second == 0);
  BOOST_TEST(read(nine + "\x7F").second == 0);
  BOOST_TEST(read(nine + "\x81\x01").second == 0);
  BOOST_TEST(read(nine + std::string("\x80\x00", 2)).second == 0);
  BOOST_TEST(read(std::string(100, '\xFF')).second == 0);
}

BOOST_AUTO_TEST_CASE(random_bytes_are_read_within_their_end) {
  Random random(8);
  for (int i = 0; i < 2000; ++i) {
    std::string bytes = random.bytes(random.between(0, 12));
    if (random.below(2) == 0) {
      for (char& byte : bytes) byte = static_cast<char>(byte | 0x80);
    }
    const auto [value, length] = read(bytes);
    BOOST_TEST(length <= bytes.size());
    if (length == 0) continue;
    std::uint64_t expected = 0;
    for (std::size_t k = length; k-- > 0;) expected = expected * 128 + (bytes[k] & 0x7F);
    BOOST_TEST(value == expected);
  }
}

BOOST_AUTO_TEST_SUITE_END()
