// Encodes a corpus into token shards.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "format/shard.h"
#include "format/tokenizer_model.h"
#include "pipeline/corpus.h"
#include "pipeline/run_options.h"
#include "text/documents.h"

namespace tokmill {

struct EncodeOptions {
  SeparatorRule rule = SeparatorRule::kAppend;
  std::optional<std::string>
      separator;  // nothing: `<|endoftext|>`, or else the tokenizer's only special token
  std::uint64_t shard_size = 64 << 20;  // bytes of text: the longest range, which becomes a shard
  bool compressed = true;
  int level = frame_format::kDefaultLevel;                     // zstd's
  std::uint32_t frame_size = frame_format::kDefaultFrameSize;  // bytes of ids
  std::optional<std::string> dtype;                            // nothing: uint16 if every id fits
  bool dry_run = false;                                        // writes nothing
  std::string tokenizer_path;                                  // where pretokens.bin may lie; empty: nowhere
};

/// Encodes every range to a shard in SHARDS_DIR, then writes the manifest.
RunReport run_encode(const Corpus& corpus, const TokenizerModel& model, const EncodeOptions& options,
                     const RunOptions& run, const std::string& output);

}  // namespace tokmill
