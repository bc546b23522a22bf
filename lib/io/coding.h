// Numbers in files: little-endian, or variable-length (7 bits a byte, the lowest first, as in LEB128).
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <string>

namespace tokmill {

static_assert(std::endian::native == std::endian::little, "the file formats are read and written in place");

template <std::unsigned_integral Number>
void put_fixed(std::string& out, Number value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <std::unsigned_integral Number>
Number get_fixed(const char* p) {
  Number value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

inline constexpr int kMaxVarintBytes = 10;

inline void put_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

/// Reads a number at `p` and moves `p` past it; false where it is cut off at `end` or longer than 64 bits.
inline bool get_varint(const char*& p, const char* end, std::uint64_t& value) {
  value = 0;
  for (int shift = 0; shift < 64 && p != end; shift += 7) {
    const auto byte = static_cast<unsigned char>(*p++);
    value |= std::uint64_t{byte & 0x7Fu} << shift;
    if (byte < 0x80) return shift < 63 || byte <= 1;
  }
  return false;
}

}  // namespace tokmill
