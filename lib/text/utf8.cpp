// UTF-8 after Unicode 16.0, table 3-7 ("Well-Formed UTF-8 Byte Sequences"): the first byte gives the length
// and the range of the second byte (which keeps out overlong forms, surrogates and what lies above U+10FFFF);
// all bytes after that are 80..BF. One character at a time; scanners, which
// must be quick, read ASCII and the common three-byte forms without it.
#include "text/utf8.h"

#include <algorithm>

namespace tokmill {

namespace {

// What a first byte asks for. The length is 0 where the byte begins no character.
struct Form {
  std::uint32_t length;
  std::uint8_t second_low;
  std::uint8_t second_high;
};

constexpr Form form_of(std::uint8_t first) {
  if (first < 0x80) return {1, 0, 0};
  if (first < 0xC2) return {0, 0, 0};  // continuation bytes; C0 and C1 could only begin overlong forms
  if (first < 0xE0) return {2, 0x80, 0xBF};
  if (first == 0xE0) return {3, 0xA0, 0xBF};  // below A0: overlong
  if (first == 0xED) return {3, 0x80, 0x9F};  // above 9F: surrogates
  if (first < 0xF0) return {3, 0x80, 0xBF};
  if (first == 0xF0) return {4, 0x90, 0xBF};  // below 90: overlong
  if (first < 0xF4) return {4, 0x80, 0xBF};
  if (first == 0xF4) return {4, 0x80, 0x8F};  // above 8F: beyond U+10FFFF
  return {0, 0, 0};
}

std::uint8_t byte_at(const char* p) {
  return static_cast<std::uint8_t>(*p);
}

// How many bytes at p, with p < end, are the beginning of one well-formed character: form.length where it is
// whole, 0 where the first byte begins none.
std::uint32_t well_formed_prefix(const char* p, const char* end, const Form& form) {
  if (form.length == 0) return 0;
  const auto available = static_cast<std::uint64_t>(end - p);
  const auto limit = static_cast<std::uint32_t>(std::min<std::uint64_t>(form.length, available));
  std::uint32_t n = 1;
  if (n < limit && byte_at(p + 1) >= form.second_low && byte_at(p + 1) <= form.second_high) {
    ++n;
    while (n < limit && (byte_at(p + n) & 0xC0) == 0x80) ++n;
  }
  return n;
}

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

}  // namespace

Utf8Character decode_utf8(const char* p, const char* end) {
  const std::uint8_t first = byte_at(p);
  if (first < 0x80) return {first, 1};
  const Form form = form_of(first);
  if (form.length == 0 || well_formed_prefix(p, end, form) != form.length) {
    return {Utf8Character::kInvalidByte, 1};
  }
  std::uint32_t code_point = first & (0x7Fu >> form.length);
  for (std::uint32_t i = 1; i < form.length; ++i) code_point = code_point << 6 | (byte_at(p + i) & 0x3Fu);
  return {code_point, form.length};
}

void append_utf8(std::string& out, std::uint32_t code_point) {
  const auto push = [&out](std::uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  const auto push_low_bits = [&](unsigned shift) { push(0x80 | (code_point >> shift & 0x3F)); };
  if (code_point < 0x80) {
    push(code_point);
  } else if (code_point < 0x800) {
    push(0xC0 | code_point >> 6);
    push_low_bits(0);
  } else if (code_point < 0x10000) {
    push(0xE0 | code_point >> 12);
    push_low_bits(6);
    push_low_bits(0);
  } else {
    push(0xF0 | code_point >> 18);
    push_low_bits(12);
    push_low_bits(6);
    push_low_bits(0);
  }
}

std::size_t find_invalid_utf8(std::string_view text) {
  const char* p = text.data();
  const char* const end = p + text.size();
  while (p != end) {
    const Utf8Character character = decode_utf8(p, end);
    if (character.code_point == Utf8Character::kInvalidByte) return static_cast<std::size_t>(p - text.data());
    p += character.length;
  }
  return std::string_view::npos;
}

void Utf8Replacer::append(std::string_view bytes, std::string& out) {
  std::string joined;
  if (!pending_.empty()) {
    joined = pending_.append(bytes);
    pending_.clear();
    bytes = joined;
  }
  const char* p = bytes.data();
  const char* const end = p + bytes.size();
  while (p != end) {
    const Form form = form_of(byte_at(p));
    const std::uint32_t n = well_formed_prefix(p, end, form);
    if (n != 0 && n == form.length) {
      out.append(p, n);
    } else if (n != 0 && p + n == end) {
      pending_.assign(p, n);  // the next piece may complete it
    } else {
      out += kReplacement;
    }
    p += std::max(n, 1u);
  }
}

void Utf8Replacer::finish(std::string& out) {
  if (!pending_.empty()) out += kReplacement;
  pending_.clear();
}

}  // namespace tokmill
