#include "format/byte_spelling.h"

#include "text/utf8.h"

namespace tokmill {

namespace {

struct Spelling {
  std::array<std::string, 256> of_byte;
  std::array<int, 0x100 + 256> byte_of{};  // by code point; -1: none

  Spelling() {
    byte_of.fill(-1);
    std::uint32_t next = 0x100;
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
      const bool printable = (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte != 0xAD);
      const std::uint32_t code_point = printable ? byte : next++;
      append_utf8(of_byte[byte], code_point);
      byte_of[code_point] = static_cast<int>(byte);
    }
  }
};

const Spelling& spelling() {
  static const Spelling instance;
  return instance;
}

}  // namespace

std::string spell_bytes(std::string_view bytes) {
  const Spelling& table = spelling();
  std::string out;
  out.reserve(2 * bytes.size());
  for (const char byte : bytes) out += table.of_byte[static_cast<unsigned char>(byte)];
  return out;
}

void append_spelled_json(std::string& out, std::string_view bytes) {
  const Spelling& table = spelling();
  for (const char byte : bytes) {
    if (byte == '"' || byte == '\\') out.push_back('\\');  // no other character that spells a byte needs it
    out += table.of_byte[static_cast<unsigned char>(byte)];
  }
}

std::optional<std::string> unspell_bytes(std::string_view text) {
  const Spelling& table = spelling();
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::uint32_t code_point = static_cast<unsigned char>(text[i]);
    if (code_point >= 0x80) {  // two bytes then, or it spells none
      if (i + 1 == text.size() || code_point < 0xC2 || code_point >= 0xE0) return {};
      const auto second = static_cast<unsigned char>(text[++i]);
      if ((second & 0xC0) != 0x80) return {};
      code_point = (code_point & 0x1F) << 6 | (second & 0x3F);
    }
    if (code_point >= table.byte_of.size() || table.byte_of[code_point] < 0) return {};
    out.push_back(static_cast<char>(table.byte_of[code_point]));
  }
  return out;
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
