#include "format/tiktoken_file.h"

#include <cstdint>
#include <vector>

namespace tokmill {

namespace {

std::string base64(const std::string& bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      out.push_back(i + k <= bytes.size() ? kDigits[group >> (18 - 6 * k) & 63] : '=');
    }
  }
  return out;
}

}  // namespace

std::string tiktoken_text(const TokenizerModel& model) {
  const std::vector<bool> is_special = model.special_ids();
  std::string out;
  for (std::size_t id = 0; id < model.tokens.size(); ++id) {
    if (is_special[id] || model.tokens[id].empty()) continue;
    out += base64(model.tokens[id]) + " " + std::to_string(id) + "\n";
  }
  return out;
}

}  // namespace tokmill
