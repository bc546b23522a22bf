#include "format/byte_spelling.h"

#include <array>
#include <cstdint>

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
  std::string out;
  for (const char byte : bytes) out += spelling().of_byte[static_cast<unsigned char>(byte)];
  return out;
}

std::optional<std::string> unspell_bytes(std::string_view text) {
  std::string out;
  const char* const end = text.data() + text.size();
  for (const char* p = text.data(); p != end;) {
    const Utf8Character c = decode_utf8(p, end);
    if (c.code_point >= spelling().byte_of.size() || spelling().byte_of[c.code_point] < 0) return {};
    out.push_back(static_cast<char>(spelling().byte_of[c.code_point]));
    p += c.length;
  }
  return out;
}

}  // namespace tokmill
