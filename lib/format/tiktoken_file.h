// A .tiktoken file: { base64 of a token's bytes, " ", rank, "\n" }, for all tokens that are not special.
#pragma once

#include <string>

#include "format/tokenizer_model.h"

namespace tokmill {

/// The rank is the token's id. The pattern and the special tokens are not part of such a file.
std::string tiktoken_text(const TokenizerModel& model);

}  // namespace tokmill
