// Looks for pairs of bytes that are rare in the text.
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace tokmill {

using BytePair = std::array<char, 2>;

/// Places looked at together.
inline constexpr std::ptrdiff_t kPairStep = 64;

/// Skips steps of kPairStep places in which none of the pairs begins: returns where the first step with one
/// is, or where less than a step is left before `end`. The byte at `end` must be readable.
const char* skip_without_pairs(const char* p, const char* end, std::span<const BytePair> pairs);

}  // namespace tokmill
