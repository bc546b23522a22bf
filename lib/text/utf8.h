// UTF-8 as tokmill reads it: a byte that begins no valid character is one character of its own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tokmill {

/// One character read from text: its code point, or kInvalidByte, and its length in bytes.
struct Utf8Character {
  /// No code point: the byte is not valid UTF-8 where it stands. Belongs to no class.
  static constexpr std::uint32_t kInvalidByte = 0xFFFFFFFF;

  std::uint32_t code_point;
  std::uint32_t length;  // 1 to 4; always 1 for an invalid byte
};

/// Reads the character at `p`, with p < end. Overlong forms, surrogates, code points above U+10FFFF and
/// cut-off characters are invalid: their first byte stands alone.
Utf8Character decode_utf8(const char* p, const char* end);

/// Appends the UTF-8 form of a code point (at most 0x10FFFF, not a surrogate).
void append_utf8(std::string& out, std::uint32_t code_point);

/// The offset of the first byte that is not valid UTF-8, or npos.
std::size_t find_invalid_utf8(std::string_view text);

/// Turns bytes that arrive in pieces into valid UTF-8, with U+FFFD for each maximal ill-formed
/// subsequence (Unicode 16.0, section 3.9, "U+FFFD substitution of maximal subparts"), which is what
/// Python's bytes.decode(errors="replace") does.
class Utf8Replacer {
 public:
  void append(std::string_view bytes, std::string& out);
  /// Ends the text: a character cut off at the end becomes one U+FFFD.
  void finish(std::string& out);

 private:
  std::string pending_;  // a beginning of a character, at most 3 bytes
};

}  // namespace tokmill
