// Shards as plain arrays, and what they should hold.
#pragma once

#include <boost/test/unit_test.hpp>
#include <cstring>
#include <string>
#include <vector>

#include "format/shard.h"
#include "io/coding.h"
#include "pipeline/corpora.h"
#include "pipeline/encode.h"
#include "pipeline/shard_directory.h"

namespace tokmill::test {

/// Ids, and how many of them there are up to the end of each document.
struct Encoded {
  std::vector<std::uint32_t> ids;
  std::vector<std::uint64_t> ends;
  bool operator==(const Encoded&) const = default;
};

/// All shards of a directory, joined.
inline Encoded read_shards(const std::string& path) {
  const ShardDirectory directory = ShardDirectory::open(path);
  const ShardFormat& format = directory.manifest.format;
  Encoded out;
  for (const Manifest::Shard& shard : directory.manifest.shards) {
    const std::uint64_t before = out.ids.size();
    ShardReader reader(directory.stem(shard), format);
    std::string bytes;
    for (std::string_view piece = reader.next(); !piece.empty(); piece = reader.next()) bytes += piece;
    for (std::size_t at = 0; at + format.id_bytes <= bytes.size(); at += format.id_bytes) {
      std::uint32_t id = 0;
      std::memcpy(&id, bytes.data() + at, format.id_bytes);
      out.ids.push_back(id);
    }
    const std::string index = take_file(directory.stem(shard) + ".idx");
    for (std::size_t at = 0; at < index.size(); at += 8) {
      out.ends.push_back(before + get_fixed<std::uint64_t>(index.data() + at));
    }
  }
  return out;
}

/// The rule of separators, document by document. `separator` empty: a file is one document.
inline Encoded slow_encode(const std::vector<std::string>& texts, const TokenizerModel& model,
                           SeparatorRule rule, const std::string& separator = kEnd) {
  const SpecialTokens specials(model.special_texts());
  const auto scanner = make_scanner(model.pattern);
  const NaiveEncoder naive(model);
  const auto* const special = model.find_special(separator);
  Encoded out;
  for (const std::string& text : texts) {
    std::vector<std::uint32_t> document;
    std::size_t begin = 0;  // of the document
    const auto end_document = [&](bool separated) {
      if (rule == SeparatorRule::kPrepend) out.ids.push_back(special->id);
      out.ids.insert(out.ids.end(), document.begin(), document.end());
      if (rule == SeparatorRule::kAppend || (rule == SeparatorRule::kNone && separated)) {
        out.ids.push_back(special->id);
      }
      out.ends.push_back(out.ids.size());
      document.clear();
    };
    for (const Piece& piece : pieces_of(*scanner, specials, text)) {
      const std::string spelled = text.substr(piece.begin, piece.end - piece.begin);
      if (piece.special < 0) {
        for (const std::uint32_t id : naive.encode(spelled)) document.push_back(id);
      } else if (spelled == separator) {
        end_document(true);
        begin = piece.end;
      } else {
        document.push_back(model.find_special(spelled)->id);
      }
    }
    if (begin != text.size()) end_document(false);
  }
  return out;
}

inline RunOptions with_jobs(unsigned jobs) {
  RunOptions run;
  run.jobs = jobs;
  return run;
}

/// Files of all kinds: long, short, empty, of separators only, without any, with a newline at the end.
inline std::vector<std::string> random_files(Random& random) {
  std::vector<std::string> texts = {
      random_text(random, 600),        "",          kEnd,  "no separator\n", kEnd + kEnd + " ",
      random_text(random, 300) + kEnd, "<|other|>", "\n\n"};
  for (int i = 0; i < 20; ++i) texts.push_back(random_text(random, random.below(30)));
  for (std::size_t i = texts.size(); i-- > 1;) std::swap(texts[i], texts[random.below(i + 1)]);
  return texts;
}

}  // namespace tokmill::test
