// Turns shards back into text.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "format/tokenizer_model.h"

namespace tokmill {

/// What becomes of bytes that are not valid UTF-8.
enum class DecodeErrors {
  kReplace,  // U+FFFD, as Python's bytes.decode(errors="replace") has it
  kStrict,   // an Error that names the place
  kBytes,    // they are written as they are
};

/// "replace", "strict", "bytes"; throws UsageError for another name.
DecodeErrors decode_errors_from_name(std::string_view name);

/// Takes text in pieces.
using TextSink = std::function<void(std::string_view)>;

/// Decodes SHARDS_DIR, shard after shard. `model` replaces the tokenizer kept with the shards, if it is not
/// nullptr.
void decode_shards(const std::string& directory, const TokenizerModel* model, DecodeErrors errors,
                   const TextSink& sink);

/// Decodes a plain file of ids, `id_bytes` (2 or 4) each, little-endian; or one shard, NAME.bin.zst.
void decode_file(const std::string& path, std::uint32_t id_bytes, const TokenizerModel& model,
                 DecodeErrors errors, const TextSink& sink);

}  // namespace tokmill
