// Finds out what kind of tokenizer lies at a path, and reads it.
#pragma once

#include <string>
#include <vector>

#include "format/tokenizer_model.h"

namespace tokmill {

/// Reads TOKENIZER: a directory with tokenizer.json (as `train` writes it) or with vocab.json and merges.txt,
/// a tokenizer.json, or a vocab.json beside its merges.txt. `specials` are made special besides those that
/// the tokenizer names itself.
TokenizerModel read_tokenizer(const std::string& path, const std::vector<std::string>& specials);

}  // namespace tokmill
