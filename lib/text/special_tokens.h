// Special tokens in text: found first, leftmost, the longest where several match at one place.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/pair_search.h"

namespace tokmill {

/// A set of special tokens, in the order given.
class SpecialTokens {
 public:
  struct Match {
    const char* begin;  // nullptr: none found
    const char* end;
    std::uint32_t index;  // into tokens()
    explicit operator bool() const { return begin != nullptr; }
  };

  SpecialTokens() = default;
  /// Throws UsageError where a token is empty or given twice.
  explicit SpecialTokens(std::vector<std::string> tokens);

  const std::vector<std::string>& tokens() const { return tokens_; }
  bool empty() const { return tokens_.empty(); }
  std::size_t longest() const { return longest_; }
  /// The index of the token spelled so, or -1.
  int index_of(std::string_view token) const;

  /// The leftmost match that begins in [from, last_start), the longest of those at its place; it may end
  /// anywhere up to `end`.
  Match find(const char* from, const char* last_start, const char* end) const;
  Match find(std::string_view text) const;

  /// The last place q <= p, at or after `begin`, that no occurrence of any token in [begin, end)
  /// straddles. A search from q on finds what a search of the whole text finds there.
  const char* synchronise(const char* begin, const char* p, const char* end) const;

 private:
  Match match_at(const char* p, const char* end) const;

  std::vector<std::string> tokens_;
  std::vector<std::uint32_t> longest_first_;
  std::array<bool, 256> begins_token_{};
  std::vector<BytePair> beginnings_;  // the first two bytes of the tokens
  PairSearch skip_ = nullptr;         // nullptr: they are too many, or a token is shorter
  std::size_t longest_ = 0;
};

}  // namespace tokmill
