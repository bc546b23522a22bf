// Special tokens are few and rare in the text, so finding them is finding the bytes they begin with: memchr
// where all begin with the same byte (as <|...|> do), else a table of 256 flags, a byte at a time. At such a
// byte the tokens are tried one after the other, the longest first. Text full of that byte (HTML, for '<')
// costs a few comparisons for each; hundreds of tokens would want an Aho-Corasick automaton.
#include "text/special_tokens.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "io/error.h"

namespace tokmill {

SpecialTokens::SpecialTokens(std::vector<std::string> tokens) : tokens_(std::move(tokens)) {
  for (const std::string& token : tokens_) {
    if (token.empty()) throw UsageError("a special token may not be empty");
    begins_token_[static_cast<std::uint8_t>(token[0])] = true;
    longest_ = std::max(longest_, token.size());
  }
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
  same_first_byte_ = std::count(begins_token_.begin(), begins_token_.end(), true) == 1;
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
  for (const char* p = from; p < last_start; ++p) {
    if (same_first_byte_) {
      p = static_cast<const char*>(std::memchr(p, tokens_[0][0], static_cast<std::size_t>(last_start - p)));
      if (p == nullptr) break;
    } else {
      while (p != last_start && !begins_token_[static_cast<std::uint8_t>(*p)]) ++p;
      if (p == last_start) break;
    }
    if (const Match match = match_at(p, end)) return match;
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
