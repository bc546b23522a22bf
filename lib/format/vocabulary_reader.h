// The parts that JSON tokenizers share: a vocabulary of spelled tokens, and merges by spelling.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "format/tokenizer_model.h"
#include "io/checksum.h"
#include "io/error.h"

namespace tokmill {

/// Collects a vocabulary and its merges into a TokenizerModel. All errors name `path`. Spellings of tokens must
/// stay where they are until it is finished.
class VocabularyReader {
 public:
  explicit VocabularyReader(std::string path) : path_(std::move(path)) {}

  /// Makes room for about so many tokens, and as many merges.
  void expect(std::size_t tokens);
  /// A token and its id. One that does not spell bytes is kept as it is: it can only be a special token.
  void add_token(std::string_view spelling, std::uint64_t id);
  /// The next merge by rank, of two spelled tokens; it stands at `place` in the file `path`, for errors.
  struct Place {
    const std::string& path;
    std::string_view unit;  // as "line"
    std::size_t number;
    Error error(const std::string& problem) const;
  };
  void add_merge(std::string_view left, std::string_view right, const Place& place);

  /// A special token, as it stands in the file, where all tokens are known. It is a token of the vocabulary
  /// spelled just so, with that one's id, or a new one.
  void add_special(const std::string& text, std::uint64_t id);
  /// The same, where it is not special yet; a new one gets the next id.
  void add_special(const std::string& text);

  TokenizerModel finish() &&;

 private:
  struct Hash {
    using is_avalanching = void;
    std::size_t operator()(std::string_view text) const { return Checksum::of(text); }
  };

  std::uint32_t id_of(std::string_view spelling, const Place& place) const;

  std::string path_;
  TokenizerModel model_;
  std::vector<std::string_view> spellings_;                               // by id
  boost::unordered_flat_map<std::string_view, std::uint32_t, Hash> ids_;  // by spelling
};

}  // namespace tokmill
