#include "format/vocabulary_reader.h"

#include "format/byte_spelling.h"

namespace tokmill {

namespace {
/// Ids above this are surely a mistake; they would take memory in proportion.
constexpr std::uint64_t kMaxId = 1 << 26;
constexpr std::uint64_t kMaxGap = 100'000;  // between the vocabulary and a special token
}  // namespace

void VocabularyReader::expect(std::size_t tokens) {
  model_.tokens.reserve(tokens);
  model_.merges.reserve(tokens);
  spellings_.reserve(tokens);
  ids_.reserve(tokens);
}

void VocabularyReader::add_token(std::string_view spelling, std::uint64_t id) {
  if (id > kMaxId) throw Error::at(path_, "token id " + std::to_string(id) + " is too large");
  auto& tokens = model_.tokens;
  if (tokens.size() <= id) tokens.resize(id + 1);
  if (spelling.empty() || !tokens[id].empty()) {
    throw Error::at(path_, "token id " + std::to_string(id) + " is empty or given twice");
  }
  if (!ids_.emplace(spelling, static_cast<std::uint32_t>(id)).second) {
    throw Error::at(path_, "the token '" + std::string(spelling) + "' is given twice");
  }
  if (spellings_.size() <= id) spellings_.resize(id + 1);
  spellings_[id] = spelling;
  if (!append_unspelled(tokens[id], spelling)) tokens[id] = spelling;
}

Error VocabularyReader::Place::error(const std::string& problem) const {
  return Error::at(path, std::string(unit) + " " + std::to_string(number) + ": " + problem);
}

std::uint32_t VocabularyReader::id_of(std::string_view spelling, const Place& place) const {
  const auto found = ids_.find(spelling);
  if (found != ids_.end()) return found->second;
  throw place.error("the token '" + std::string(spelling) + "' is not in the vocabulary");
}

void VocabularyReader::add_merge(std::string_view left, std::string_view right, const Place& place) {
  // Most vocabularies number what the merges make in their order.
  const std::size_t next = model_.merges.empty() ? 0 : model_.merges.back().result + std::size_t{1};
  const std::string_view guess = next < spellings_.size() ? spellings_[next] : std::string_view();
  const bool in_order = guess.size() == left.size() + right.size() && guess.starts_with(left) &&
                        guess.ends_with(right);
  model_.merges.push_back(
      {id_of(left, place), id_of(right, place),
       in_order ? static_cast<std::uint32_t>(next) : id_of(std::string(left).append(right), place)});
}

void VocabularyReader::add_special(const std::string& text, std::uint64_t id) {
  auto& tokens = model_.tokens;
  if (id > tokens.size() + kMaxGap) throw Error::at(path_, "added token '" + text + "': id too large");
  if (id >= tokens.size()) tokens.resize(id + 1);
  const auto found = ids_.find(std::string_view(text));
  if (found == ids_.end() ? !tokens[id].empty() : found->second != id) {
    throw Error::at(path_, "added token '" + text + "' has the id of another token");
  }
  tokens[id] = text;  // a vocabulary's token was read as if it spelled bytes
  model_.specials.push_back({text, static_cast<std::uint32_t>(id)});
}

void VocabularyReader::add_special(const std::string& text) {
  if (model_.find_special(text)) return;
  const auto found = ids_.find(std::string_view(text));
  add_special(text, found == ids_.end() ? model_.tokens.size() : found->second);
}

TokenizerModel VocabularyReader::finish() && {
  return std::move(model_);
}

}  // namespace tokmill
