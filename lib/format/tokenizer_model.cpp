#include "format/tokenizer_model.h"

#include <algorithm>

namespace tokmill {

std::size_t TokenizerModel::token_bytes() const {
  std::size_t bytes = 0;
  for (const std::string& token : tokens) bytes += token.size();
  return bytes;
}

std::vector<std::string> TokenizerModel::special_texts() const {
  std::vector<std::string> texts;
  for (const Special& special : specials) texts.push_back(special.text);
  return texts;
}

std::vector<bool> TokenizerModel::special_ids() const {
  std::vector<bool> is_special(tokens.size());
  for (const Special& special : specials) is_special[special.id] = true;
  return is_special;
}

const TokenizerModel::Special* TokenizerModel::find_special(std::string_view text) const {
  const auto found = std::ranges::find(specials, text, &Special::text);
  return found == specials.end() ? nullptr : &*found;
}

void add_special(TokenizerModel& model, const std::string& text) {
  if (model.find_special(text)) return;
  auto& tokens = model.tokens;
  auto id = static_cast<std::uint32_t>(std::ranges::find(tokens, text) - tokens.begin());
  if (id == tokens.size()) tokens.push_back(text);
  model.specials.push_back({text, id});
}

}  // namespace tokmill
