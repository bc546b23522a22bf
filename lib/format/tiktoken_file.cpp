#include "format/tiktoken_file.h"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tokmill {

namespace {

void append_base64(std::string& out, std::string_view bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    }
    std::array<char, 4> digits;
    for (std::size_t k = 0; k < 4; ++k) {
      digits[k] = i + k <= bytes.size() ? kDigits[group >> (18 - 6 * k) & 63] : '=';
    }
    out.append(digits.data(), digits.size());
  }
}

}  // namespace

std::string tiktoken_text(const TokenizerModel& model) {
  const std::vector<bool> is_special = model.special_ids();
  std::string out;
  out.reserve(model.token_bytes() * 4 / 3 + 14 * model.tokens.size());
  for (std::size_t id = 0; id < model.tokens.size(); ++id) {
    if (is_special[id] || model.tokens[id].empty()) continue;
    append_base64(out, model.tokens[id]);
    out.append(" ").append(std::to_string(id)).push_back('\n');
  }
  return out;
}

}  // namespace tokmill
