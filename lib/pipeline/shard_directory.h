// A directory of finished shards, opened for reading.
#pragma once

#include <string>

#include "format/manifest.h"
#include "format/tokenizer_model.h"

namespace tokmill {

/// The manifest, and the tokenizer that the shards were made with.
struct ShardDirectory {
  std::string path;
  Manifest manifest;
  TokenizerModel model;

  /// Throws Error where the manifest or the tokenizer is damaged or missing.
  static ShardDirectory open(const std::string& path);
  std::string stem(const Manifest::Shard& shard) const { return path + "/" + shard.name; }
};

}  // namespace tokmill
