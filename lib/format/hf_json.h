// tokenizer.json, the file of Hugging Face tokenizers.
#pragma once

#include <string>

#include "format/tokenizer_model.h"

namespace tokmill {

std::string hf_json(const TokenizerModel& model);

/// Reads a byte-level BPE tokenizer.json whose pre-tokenizer is one of ours (`gpt2`, `whitespace`, `none`).
/// Anything in it that would change the ids and that tokmill does not do is an Error that names it.
TokenizerModel read_hf_json(const std::string& path);

}  // namespace tokmill
