#include "pipeline/shard_directory.h"

#include <filesystem>

#include "format/hf_json.h"
#include "io/error.h"

namespace tokmill {

ShardDirectory ShardDirectory::open(const std::string& path) {
  if (!std::filesystem::exists(path + "/" + Manifest::kFileName)) {
    throw Error::at(path, "holds no finished shards: there is no manifest.json");
  }
  ShardDirectory directory{path, Manifest::read(path), {}};
  const std::string tokenizer = path + "/" + Manifest::kTokenizerName;
  if (spell_checksum(checksum_of_file(tokenizer)) != directory.manifest.tokenizer_checksum) {
    throw Error::at(tokenizer, "damaged: it does not agree with the manifest's checksum");
  }
  directory.model = read_hf_json(tokenizer);
  return directory;
}

}  // namespace tokmill
