// The parts that JSON tokenizers share: a vocabulary of spelled tokens, and merges by spelling.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "format/tokenizer_model.h"
#include "io/checksum.h"

namespace tokmill {

/// Collects a vocabulary and its merges into a TokenizerModel. All errors name `path`.
class VocabularyReader {
 public:
  explicit VocabularyReader(std::string path) : path_(std::move(path)) {}

  /// A token and its id. One that does not spell bytes is kept as it is: it can only be a special token.
  void add_token(std::string_view spelling, std::uint64_t id);
  /// The next merge by rank, of two spelled tokens; `place` (as "line 7") is for errors, in `path`.
  void add_merge(std::string_view left, std::string_view right, const std::string& path,
                 const std::string& place);

  /// A special token, as it stands in the file, where all tokens are known. It is a token of the vocabulary
  /// spelled just so, with that one's id, or a new one.
  void add_special(const std::string& text, std::uint64_t id);
  /// The same, where it is not special yet; a new one gets the next id.
  void add_special(const std::string& text);

  TokenizerModel finish() &&;

 private:
  // Looks strings up without making one.
  struct Hash {
    using is_transparent = void;
    using is_avalanching = void;
    std::size_t operator()(std::string_view text) const { return Checksum::of(text); }
  };

  std::uint32_t id_of(std::string_view spelling, const std::string& path, const std::string& place) const;

  std::string path_;
  TokenizerModel model_;
  boost::unordered_flat_map<std::string, std::uint32_t, Hash, std::equal_to<>> ids_;  // by spelling
  std::string joined_;                                                                // of a merge
};

}  // namespace tokmill
