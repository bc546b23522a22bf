// pretokens.bin: the ids of the pretokens that were frequent where a tokenizer was trained.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "format/tokenizer_model.h"

namespace tokmill {

inline constexpr char kKnownPretokensName[] = "pretokens.bin";

/// Lists of ids, one for each pretoken, the most frequent first. A pretoken's bytes are its tokens'.
struct KnownPretokens {
  std::vector<std::uint32_t> ids;
  std::vector<std::size_t> ends;  // of the lists

  std::size_t size() const { return ends.size(); }
  std::span<const std::uint32_t> operator[](std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : ends[i - 1];
    return {ids.data() + begin, ends[i] - begin};
  }
};

/// The file's content:
///
///     "tokmill pretokens 1\n"
///     uint64            fingerprint of the tokenizer: XXH3 of what gives a pretoken its ids
///     varint            number of pretokens
///     for each:         varint number of ids, varint for each id
///     uint64            XXH3 of all bytes before
std::string known_pretokens_text(const TokenizerModel& model, const KnownPretokens& known);

/// Reads the file that lies beside a tokenizer (TOKENIZER as for `read_tokenizer`). Empty where there is
/// none, where it is damaged or of another tokenizer: it saves time and nothing depends on it.
KnownPretokens read_known_pretokens(const std::string& tokenizer_path, const TokenizerModel& model);

}  // namespace tokmill
