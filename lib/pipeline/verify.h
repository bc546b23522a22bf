// Checks what tokmill has written.
#pragma once

#include <string>
#include <vector>

#include "pipeline/corpus.h"
#include "pipeline/run_options.h"

namespace tokmill {

/// Checks SHARDS_DIR: every file against its checksum, every id against the vocabulary, every document end.
/// With `against`, also that the shards decode to that corpus, byte for byte, with the separators that the
/// manifest's rule puts there. An Error names the first file that is wrong.
RunReport verify_shards(const std::string& directory, const Corpus* against, const RunOptions& run);

/// Checks TOKENIZER_DIR as `train` wrote it: every file against training.json.
RunReport verify_tokenizer(const std::string& directory);

/// Checks a count table.
RunReport verify_table(const std::string& path);

/// Checks whatever of these lies at `path`.
RunReport run_verify(const std::string& path, const Corpus* against, const RunOptions& run);

}  // namespace tokmill
