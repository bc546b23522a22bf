// How large a table of pretokens to begin with, so that it need not grow: growing clears and fills memory
// again.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace tokmill {

/// Slots for the different pretokens of so many bytes of text, at most half of them taken: a power of two.
///
/// In web text there are about 3.45 n^0.62 different ones (Heaps' law; measured from 1 MB to 10 GB). Books,
/// code, Arabic and Chinese have a third to two thirds of that, so this takes half of it; a table may still
/// grow.
inline std::size_t slots_for_text(std::uint64_t bytes) {
  return std::bit_ceil(static_cast<std::size_t>(3.45 * std::pow(static_cast<double>(bytes), 0.62)) + 1);
}

}  // namespace tokmill
