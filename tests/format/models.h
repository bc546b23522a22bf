// Random tokenizers for the tests of their files.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <unordered_map>
#include <vector>

#include "format/tokenizer_model.h"
#include "support.h"

namespace tokmill {

inline std::ostream& operator<<(std::ostream& out, const TokenizerModel::Merge& merge) {
  return out << merge.left << " + " << merge.right << " = " << merge.result;
}

}  // namespace tokmill

namespace tokmill::test {

enum class Place { kFirst, kAfterBytes, kLast };

/// Special tokens that are hard to write down: marks of JSON, white space, letters that spell other bytes.
inline const std::vector<std::string>& hard_specials() {
  static const std::vector<std::string> specials = {
      "<|endoftext|>", "<a b>",        "\"quoted\\\"", "line\nbreak\t",         "<|d\u00E9but|>",
      "\u0120special", "\u65E5\u672C", "\U0001F600",   std::string("nul\0", 4), "# comment"};
  return specials;
}

/// The 256 bytes, `specials` at `place`, and up to `merges` random merges, some of which give a token that
/// another one has given already.
inline TokenizerModel random_model(Random& random, std::size_t merges,
                                   const std::vector<std::string>& specials, Place place) {
  TokenizerModel model;
  std::vector<std::uint32_t> ordinary;
  std::unordered_map<std::string, std::uint32_t> id_of;
  const auto add = [&](const std::string& token) {
    const auto id = static_cast<std::uint32_t>(model.tokens.size());
    model.tokens.push_back(token);
    ordinary.push_back(id);
    id_of.emplace(token, id);
    return id;
  };
  const auto add_specials = [&] {
    for (const std::string& special : specials) {
      model.specials.push_back({special, static_cast<std::uint32_t>(model.tokens.size())});
      model.tokens.push_back(special);
    }
  };
  if (place == Place::kFirst) add_specials();
  for (int byte = 0; byte < 256; ++byte) add(std::string(1, static_cast<char>(byte)));
  if (place == Place::kAfterBytes) add_specials();
  for (std::size_t i = 0; i < merges; ++i) {
    // Often small parts, so that tokens come about in several ways.
    const auto part = [&] {
      return random.below(3) > 0 ? random.pick(ordinary) : ordinary[97 + random.below(3)];
    };
    const std::uint32_t left = part(), right = part();
    const std::string token = model.tokens[left] + model.tokens[right];
    if (token.size() > 40) continue;
    const auto known = id_of.find(token);
    model.merges.push_back({left, right, known != id_of.end() ? known->second : add(token)});
  }
  if (place == Place::kLast) add_specials();
  return model;
}

}  // namespace tokmill::test
