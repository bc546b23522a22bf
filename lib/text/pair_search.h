// Looks for pairs of bytes that are rare in the text.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace tokmill {

using BytePair = std::array<char, 2>;

/// Places looked at together.
inline constexpr std::ptrdiff_t kPairStep = 64;

/// Skips steps of kPairStep places in which none of the `count` pairs begins: returns where the first step
/// with one is, or where less than a step is left before `end`. The byte at `end` must be readable.
using PairSearch = const char* (*)(const char* p, const char* end, const BytePair* pairs, std::size_t count);

/// The search that uses these instructions: one of instruction_sets().
PairSearch pair_search(std::string_view instructions);

}  // namespace tokmill
