// manifest.json: what a directory of token shards holds.
//
//   manifest := a sealed JSON object (json_text.h) with
//     "format"     "tokmill-shards-1"
//     "dtype", "compressed", "level", "frame_size"   how shards are stored (shard.h)
//     "vocabulary" number of ids; "tokenizer" its file in the directory; "tokenizer_checksum"
//     "separator"  {"rule", "token", "id"}           what stands between documents (text/documents.h)
//     "run"        what was run: inputs and options (pipeline/run_directory.h)
//     "tokens", "documents", "text_bytes"            totals
//     "shards"     for each shard: "name", "sources", and its ShardRecord
//
// A source is a stretch of an input file: [input's place in "run.inputs", begin, end, 1 if it begins within a
// document that began in the shard before, else 0].
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "format/shard.h"
#include "text/documents.h"

namespace tokmill {

struct Manifest {
  struct Source {
    std::uint64_t input, begin, end;
    bool within_document;
    bool operator==(const Source&) const = default;
  };
  struct Shard {
    std::string name;
    std::vector<Source> sources;
    ShardRecord record;
  };

  static constexpr char kFileName[] = "manifest.json";
  static constexpr char kTokenizerName[] = "tokenizer.json";

  ShardFormat format;
  std::uint64_t vocabulary = 0;
  std::string tokenizer_checksum;
  SeparatorRule rule = SeparatorRule::kAppend;
  std::string separator;           // empty where there is none
  std::int64_t separator_id = -1;  // -1 where there is none
  boost::json::object run;
  std::vector<Shard> shards;

  std::uint64_t tokens() const;
  std::uint64_t documents() const;
  std::uint64_t text_bytes() const;

  std::string to_text() const;
  /// `path` is for errors.
  static Manifest parse(std::string_view text, const std::string& path);
  /// Reads DIRECTORY/manifest.json.
  static Manifest read(const std::string& directory);
};

/// "shard-00000".
std::string shard_name(std::size_t index);

}  // namespace tokmill
