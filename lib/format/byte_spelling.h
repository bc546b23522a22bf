// GPT-2's spelling of bytes as printable characters, used in vocab.json, merges.txt and tokenizer.json.
// Source: bytes_to_unicode() of the GPT-2 encoder.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tokmill {

/// Bytes, each as one character: printable Latin-1 as itself, the others from U+0100 on.
std::string spell_bytes(std::string_view bytes);

/// The same, appended.
void append_spelled(std::string& out, std::string_view bytes);

/// The same, appended as it stands within a JSON string.
void append_spelled_json(std::string& out, std::string_view bytes);

/// The bytes so spelled, or nothing where a character spells no byte.
std::optional<std::string> unspell_bytes(std::string_view spelling);

/// The same, appended; false, and nothing appended, where a character spells no byte.
bool append_unspelled(std::string& out, std::string_view spelling);

/// All bytes, in the order of the characters that spell them: 0x21 ('!') is the first, 0xAD the last. It is
/// the order of their ids in GPT-2's vocabulary, and where Hugging Face tokenizers trains.
std::array<std::uint8_t, 256> bytes_by_spelling();

}  // namespace tokmill
