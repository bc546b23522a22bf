// Cuts a corpus into ranges that can be processed apart.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/corpus.h"
#include "text/scanner.h"
#include "text/special_tokens.h"

namespace tokmill {

/// A stretch of one file.
struct Segment {
  std::uint64_t input;       // its place in Corpus::inputs
  std::uint64_t begin, end;  // bytes
  bool within_document;      // it begins inside a document that is longer than a range
  bool ends_file;
  bool operator==(const Segment&) const = default;
};

/// What one task works on: a stretch of a large file, or several small files.
struct Range {
  std::vector<Segment> segments;

  std::uint64_t bytes() const;
  /// For messages: "corpus.txt, bytes 0 to 1000".
  std::string describe(const Corpus& corpus) const;
  bool operator==(const Range&) const = default;
};

struct PlanOptions {
  std::uint64_t range_size = 64 << 20;  // bytes of text: the longest a range should be
  std::uint64_t max_ranges = 4096;      // ranges get longer where there would be more
  std::uint64_t search = 1 << 20;  // bytes in which a special token is looked for before the pattern's cuts
  /// The special token that ends documents; empty: any of them.
  std::string separator;
};

/// Ranges of about equal length, in the order of the text. Cuts are made after special tokens, or, where
/// there is none for long, where the pattern always splits: they change no pretoken. The plan depends on the
/// files and the options alone.
std::vector<Range> make_plan(const Corpus& corpus, const SpecialTokens& specials, const Scanner& scanner,
                             const PlanOptions& options);

}  // namespace tokmill
