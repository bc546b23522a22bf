#include "format/byte_spelling.h"

#include <algorithm>
#include <cstring>

#include "text/utf8.h"

namespace tokmill {

namespace {

// What stands for a byte: one or two bytes of UTF-8.
struct Spelled {
  std::array<char, 2> bytes{};
  std::uint8_t length = 0;

  explicit Spelled(std::string_view text = {}) : length(static_cast<std::uint8_t>(text.size())) {
    std::ranges::copy(text, bytes.begin());
  }
};

struct Spelling {
  std::array<Spelled, 256> of_byte;
  std::array<Spelled, 256> in_json;        // the same, escaped
  std::array<int, 0x100 + 256> byte_of{};  // by code point; -1: none

  Spelling() {
    byte_of.fill(-1);
    std::uint32_t next = 0x100;
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
      const bool printable = (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte != 0xAD);
      const std::uint32_t code_point = printable ? byte : next++;
      std::string text;
      append_utf8(text, code_point);
      of_byte[byte] = in_json[byte] = Spelled(text);
      byte_of[code_point] = static_cast<int>(byte);
    }
    // No other character that spells a byte needs it.
    in_json['"'] = Spelled("\\\"");
    in_json['\\'] = Spelled("\\\\");
  }
};

const Spelling& spelling() {
  static const Spelling instance;
  return instance;
}

void append(const std::array<Spelled, 256>& table, std::string& out, std::string_view bytes) {
  const std::size_t begin = out.size();
  out.resize(begin + 2 * bytes.size());
  char* p = out.data() + begin;
  for (const char byte : bytes) {
    const Spelled& spelled = table[static_cast<unsigned char>(byte)];
    std::memcpy(p, spelled.bytes.data(), 2);
    p += spelled.length;
  }
  out.resize(static_cast<std::size_t>(p - out.data()));
}

}  // namespace

std::string spell_bytes(std::string_view bytes) {
  std::string out;
  append_spelled(out, bytes);
  return out;
}

void append_spelled(std::string& out, std::string_view bytes) {
  append(spelling().of_byte, out, bytes);
}

void append_spelled_json(std::string& out, std::string_view bytes) {
  append(spelling().in_json, out, bytes);
}

std::optional<std::string> unspell_bytes(std::string_view text) {
  std::string bytes;
  if (!append_unspelled(bytes, text)) return {};
  return bytes;
}

bool append_unspelled(std::string& out, std::string_view text) {
  const Spelling& table = spelling();
  const std::size_t begin = out.size();
  out.resize(begin + text.size());
  char* p = out.data() + begin;
  const auto fail = [&] {
    out.resize(begin);
    return false;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::uint32_t code_point = static_cast<unsigned char>(text[i]);
    if (code_point >= 0x80) {  // two bytes then, or it spells none
      if (i + 1 == text.size() || code_point < 0xC2 || code_point >= 0xE0) return fail();
      const auto second = static_cast<unsigned char>(text[++i]);
      if ((second & 0xC0) != 0x80) return fail();
      code_point = (code_point & 0x1F) << 6 | (second & 0x3F);
    }
    if (code_point >= table.byte_of.size() || table.byte_of[code_point] < 0) return fail();
    *p++ = static_cast<char>(table.byte_of[code_point]);
  }
  out.resize(static_cast<std::size_t>(p - out.data()));
  return true;
}

std::array<std::uint8_t, 256> bytes_by_spelling() {
  std::array<std::uint8_t, 256> bytes{};
  auto next = bytes.begin();
  for (const int byte : spelling().byte_of) {
    if (byte >= 0) *next++ = static_cast<std::uint8_t>(byte);
  }
  return bytes;
}

}  // namespace tokmill
