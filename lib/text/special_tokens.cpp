// Special tokens are few and rare in the text, so finding them is finding the two bytes that they begin with,
// many places at a time. Where such a pair is, the tokens are tried one after the other at each byte that
// begins one, the longest first. One byte alone would not do: '<' is everywhere in C and HTML. Hundreds of
// tokens would want an Aho-Corasick automaton.
#include "text/special_tokens.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "io/error.h"
#include "text/instruction_set.h"

namespace tokmill {

namespace {

constexpr std::size_t kMostBeginnings = 4;  // more are no faster than looking at each byte

}  // namespace

SpecialTokens::SpecialTokens(std::vector<std::string> tokens) : tokens_(std::move(tokens)) {
  bool by_pairs = true;
  for (const std::string& token : tokens_) {
    if (token.empty()) throw UsageError("a special token may not be empty");
    begins_token_[static_cast<std::uint8_t>(token[0])] = true;
    longest_ = std::max(longest_, token.size());
    by_pairs = by_pairs && token.size() > 1;
    beginnings_.push_back({token[0], token.size() > 1 ? token[1] : '\0'});
  }
  std::sort(beginnings_.begin(), beginnings_.end());
  beginnings_.erase(std::unique(beginnings_.begin(), beginnings_.end()), beginnings_.end());
  if (by_pairs && beginnings_.size() <= kMostBeginnings) skip_ = pair_search(instruction_set());
  std::vector<std::string> sorted = tokens_;
  std::sort(sorted.begin(), sorted.end());
  if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end()) {
    throw UsageError("the special token '" + *twice + "' is given twice");
  }
  longest_first_.resize(tokens_.size());
  std::iota(longest_first_.begin(), longest_first_.end(), 0u);
  std::stable_sort(longest_first_.begin(), longest_first_.end(), [this](std::uint32_t a, std::uint32_t b) {
    return tokens_[a].size() > tokens_[b].size();
  });
}

int SpecialTokens::index_of(std::string_view token) const {
  const auto found = std::find(tokens_.begin(), tokens_.end(), token);
  return found == tokens_.end() ? -1 : static_cast<int>(found - tokens_.begin());
}

SpecialTokens::Match SpecialTokens::match_at(const char* p, const char* end) const {
  const auto available = static_cast<std::size_t>(end - p);
  for (const std::uint32_t index : longest_first_) {
    const std::string& token = tokens_[index];
    if (token.size() <= available && std::memcmp(token.data(), p, token.size()) == 0) {
      return {p, p + token.size(), index};
    }
  }
  return {};
}

SpecialTokens::Match SpecialTokens::find(const char* from, const char* last_start, const char* end) const {
  if (tokens_.empty()) return {};
  last_start = std::min(last_start, end);
  const char* p = from;
  while (p < last_start) {
    if (skip_ != nullptr) p = skip_(p, std::min(last_start, end - 1), beginnings_.data(), beginnings_.size());
    for (const char* const stop = p + std::min(last_start - p, kPairStep); p < stop; ++p) {
      if (!begins_token_[static_cast<std::uint8_t>(*p)]) continue;
      if (const Match match = match_at(p, end)) return match;
    }
  }
  return {};
}

SpecialTokens::Match SpecialTokens::find(std::string_view text) const {
  const char* const end = text.data() + text.size();
  return find(text.data(), end, end);
}

// No place inside an occurrence will do, so from a place inside one the search goes on at its beginning,
// which may lie inside another. The longest token at a place straddles whatever a shorter one there does.
// Ends soon on real text; a text that is one chain of overlapping occurrences is walked back to its begin.
const char* SpecialTokens::synchronise(const char* begin, const char* p, const char* end) const {
  const char* start = p;
  while (start != begin && static_cast<std::size_t>(p - start) + 1 < longest_) {
    --start;
    if (!begins_token_[static_cast<std::uint8_t>(*start)]) continue;
    const Match match = match_at(start, end);
    if (match && match.end > p) p = start;
  }
  return p;
}

}  // namespace tokmill
