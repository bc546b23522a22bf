// The character at a place in the text, as the patterns see it: its class and its length.
#pragma once

#include <array>
#include <cstdint>

#include "text/unicode_classes.h"
#include "text/utf8.h"

namespace tokmill {

/// In kByteClasses: not ASCII, so that the whole character must be read to know its class.
inline constexpr std::uint8_t kNotAscii = 128;

constexpr bool is_ascii_white_space(std::uint8_t byte) {
  return byte == ' ' || (byte >= 9 && byte <= 13);
}

/// The CharacterClass of an ASCII byte, kNotAscii for the others.
inline constexpr std::array<std::uint8_t, 256> kByteClasses = [] {
  std::array<std::uint8_t, 256> classes{};
  for (unsigned byte = 0; byte < 256; ++byte) {
    const unsigned lower = byte | 0x20;
    if (byte >= 0x80) {
      classes[byte] = kNotAscii;
    } else if (lower >= 'a' && lower <= 'z') {
      classes[byte] = kLetter;
    } else if (byte >= '0' && byte <= '9') {
      classes[byte] = kNumber;
    } else if (is_ascii_white_space(static_cast<std::uint8_t>(byte))) {
      classes[byte] = kWhiteSpace;
    }
  }
  return classes;
}();

struct ClassifiedCharacter {
  std::uint8_t character_class;  // CharacterClass
  std::uint32_t length;
};

/// Reads the character at p, with p < end. ASCII and most characters of two and three bytes are read
/// here, the others by decode_utf8.
inline ClassifiedCharacter classify(const char* p, const char* end) {
  const auto byte = [p](int i) { return static_cast<std::uint8_t>(p[i]); };
  const std::uint8_t known = kByteClasses[byte(0)];
  if (known != kNotAscii) return {known, 1};
  if (byte(0) > 0xE0 && byte(0) < 0xED && end - p >= 3 && (byte(1) & 0xC0) == 0x80 &&
      (byte(2) & 0xC0) == 0x80) {
    return {class_of((byte(0) & 0xFu) << 12 | (byte(1) & 0x3Fu) << 6 | (byte(2) & 0x3Fu)), 3};
  }
  if (byte(0) >= 0xC2 && byte(0) < 0xE0 && end - p >= 2 && (byte(1) & 0xC0) == 0x80) {
    return {class_of((byte(0) & 0x1Fu) << 6 | (byte(1) & 0x3Fu)), 2};
  }
  const Utf8Character character = decode_utf8(p, end);
  return {class_of(character.code_point), character.length};
}

}  // namespace tokmill
