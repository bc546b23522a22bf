// GPT-2's spelling of bytes as printable characters, used in vocab.json, merges.txt and tokenizer.json.
// Source: bytes_to_unicode() of the GPT-2 encoder.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tokmill {

/// Bytes, each as one character: printable Latin-1 as itself, the others from U+0100 on.
std::string spell_bytes(std::string_view bytes);

/// The bytes so spelled, or nothing where a character spells no byte.
std::optional<std::string> unspell_bytes(std::string_view spelling);

}  // namespace tokmill
