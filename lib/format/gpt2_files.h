// vocab.json and merges.txt, as GPT-2 published them.
//
//   vocab.json := a JSON object, token spelling -> id
//   merges.txt := [ "#version: 0.2\n" ] { left " " right "\n" }, by rank
//
// Tokens are spelled with byte_spelling.h; special tokens stand in vocab.json as they are.
#pragma once

#include <string>
#include <vector>

#include "format/tokenizer_model.h"

namespace tokmill {

std::string vocab_json(const TokenizerModel& model);
std::string merges_txt(const TokenizerModel& model);

/// Reads a pair of files. `specials` are special tokens: those that the vocabulary lacks get the next ids. An
/// Error names the file and the line or the token.
TokenizerModel read_gpt2_files(const std::string& vocab_path, const std::string& merges_path,
                               const std::vector<std::string>& specials);

}  // namespace tokmill
