// What a tokenizer is, apart from the files that spell it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "text/scanner.h"

namespace tokmill {

/// A byte-level BPE tokenizer. Token ids index `tokens`.
struct TokenizerModel {
  struct Merge {
    std::uint32_t left, right, result;
    bool operator==(const Merge&) const = default;
  };
  struct Special {
    std::string text;
    std::uint32_t id;
    bool operator==(const Special&) const = default;
  };

  /// Each token's bytes; a special token's are its spelling. Empty for an id that is not in use.
  std::vector<std::string> tokens;
  /// By rank: the first is applied first.
  std::vector<Merge> merges;
  std::vector<Special> specials;
  Pattern pattern = Pattern::kGpt2;
  /// A pretoken that is a token as a whole becomes that token, whatever the merges say.
  bool ignore_merges = false;

  /// The bytes of all tokens together.
  std::size_t token_bytes() const;
  std::vector<std::string> special_texts() const;
  /// By id: whether it is a special token's.
  std::vector<bool> special_ids() const;
  /// The special token spelled so, or nullptr.
  const Special* find_special(std::string_view text) const;
  bool operator==(const TokenizerModel&) const = default;
};

/// Gives a special token that the model lacks the next free id; one that is a token already becomes special
/// with that token's id.
void add_special(TokenizerModel& model, const std::string& text);

}  // namespace tokmill
