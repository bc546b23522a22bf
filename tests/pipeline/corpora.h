// Small corpora for the tests of the pipeline, and what they should come to.
#pragma once

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "bpe/naive.h"
#include "format/tokenizer_model.h"
#include "io/scratch.h"
#include "pipeline/corpus.h"
#include "text/scanning.h"
#include "text/special_tokens.h"

namespace tokmill::test {

inline const std::string kEnd = "<|endoftext|>";

/// A fresh directory that corpora are written to.
class CorpusDirectory : public ScratchDirectory {
 public:
  /// Writes a file, with the directories above it; returns its path.
  std::string put(const std::string& name, std::string_view bytes) const {
    const std::string path = *this / name;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::filesystem::remove(path);  // some file systems are slow to replace what is in a file
    put_file(path, bytes);
    return path;
  }
  /// Writes the texts as files of their own, and finds them.
  Corpus corpus(const std::vector<std::string>& texts) const {
    std::vector<std::string> paths;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      paths.push_back(put("corpus/" + std::to_string(i) + ".txt", texts[i]));
    }
    return find_corpus(paths);
  }
};

/// Whether an error says this among its words; where it does not, the test shows what it says instead.
inline boost::test_tools::assertion_result tells(const std::string& error, std::string_view words) {
  boost::test_tools::assertion_result result = says(error, words);
  result.message() << "'" << error << "' does not say '" << words << "'";
  return result;
}

/// The names below a directory, sorted, with spaces between; empty where there is none.
inline std::string listing(const std::string& path) {
  std::vector<std::string> names;
  if (!std::filesystem::exists(path)) return {};
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
    names.push_back(std::filesystem::relative(entry.path(), path).string());
  }
  std::sort(names.begin(), names.end());
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : " ") + name;
  return out;
}

/// A pretoken, or the special token of that index.
struct Piece {
  std::size_t begin, end;
  int special;  // -1: a pretoken
  bool operator==(const Piece&) const = default;
};

/// What a text is cut into, stretch by stretch; the places are those in the text plus `offset`.
inline std::vector<Piece> pieces_of(const Scanner& scanner, const SpecialTokens& specials,
                                    std::string_view bytes, std::size_t offset = 0) {
  const PaddedText text(bytes);
  std::vector<Piece> out;
  for (const char* at = text.begin();;) {
    const SpecialTokens::Match match = specials.find(at, text.end(), text.end());
    for (const Span& span : spans(scanner, text.begin(), at, match ? match.begin : text.end())) {
      out.push_back({offset + span.begin, offset + span.end, -1});
    }
    if (!match) return out;
    out.push_back({offset + static_cast<std::size_t>(match.begin - text.begin()),
                   offset + static_cast<std::size_t>(match.end - text.begin()),
                   static_cast<int>(match.index)});
    at = match.end;
  }
}

/// Documents of words of a few letters, with some that are nasty.
inline std::string random_text(Random& random, std::size_t words, const std::string& separator = kEnd) {
  std::string out;
  while (words-- > 0) {
    const std::size_t kind = random.below(30);
    if (kind == 0) {
      out += separator;
    } else if (kind == 1) {
      out += nasty_text(random, 5);
    } else {
      out += (kind == 2 ? "\n" : " ") + random.join({"the", "low", "er", "est", "new"}, random.between(1, 3));
    }
  }
  return out;
}

/// A small tokenizer, trained on such text, with its special tokens after the merges.
inline TokenizerModel small_model(const std::vector<std::string>& specials = {kEnd},
                                  Pattern pattern = Pattern::kGpt2) {
  const Words words = {{" the", 90},    {" low", 50},    {" lower", 20},  {" widest", 30},
                       {" newest", 60}, {" lowest", 40}, {" thenew", 10}, {"\nthe", 5}};
  TokenizerModel model = model_of(train(source_of(words), {40, 1}), specials);
  model.pattern = pattern;
  return model;
}

}  // namespace tokmill::test
