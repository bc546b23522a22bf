// A look at a small part of a corpus.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/corpus.h"
#include "text/scanner.h"
#include "text/special_tokens.h"

namespace tokmill {

/// The pretokens that are frequent in pieces taken from all over the corpus, the most frequent first, at most
/// `most`. A guess at what is worth knowing beforehand: no result may depend on it.
std::vector<std::string> frequent_pretokens(const Corpus& corpus, const Scanner& scanner,
                                            const SpecialTokens& specials, std::size_t most);

}  // namespace tokmill
