// Compiled by Google Highway for each instruction set, and chosen at run time: all text passes through here
// before it is scanned, so this has to be several times as fast as the scanner.
#include "text/pair_search.h"

#include <algorithm>
#include <cstdint>

#include "text/vector_target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "text/pair_search.cpp"
// clang-format off
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace tokmill::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

const char* skip_without_pairs(const char* p, const char* end, const BytePair* pairs, std::size_t count) {
  const hn::CappedTag<std::uint8_t, kPairStep> d;
  constexpr std::size_t kLanes = hn::MaxLanes(d);
  for (; end - p >= kPairStep; p += kPairStep) {
    auto found = hn::Zero(d);
    for (std::size_t k = 0; k < count; ++k) {
      const auto first = hn::Set(d, static_cast<std::uint8_t>(pairs[k][0]));
      const auto second = hn::Set(d, static_cast<std::uint8_t>(pairs[k][1]));
      for (std::size_t i = 0; i < kPairStep; i += kLanes) {
        const auto* text = reinterpret_cast<const std::uint8_t*>(p) + i;
        const auto both = hn::And(hn::Eq(hn::LoadU(d, text), first), hn::Eq(hn::LoadU(d, text + 1), second));
        found = hn::Or(found, hn::VecFromMask(d, both));
      }
    }
    if (!hn::AllFalse(d, hn::Ne(found, hn::Zero(d)))) break;
  }
  return p;
}

}  // namespace tokmill::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace tokmill {

namespace {

const char* skip_byte_by_byte(const char* p, const char* end, const BytePair* pairs, std::size_t count) {
  for (; end - p >= kPairStep; p += kPairStep) {
    for (std::ptrdiff_t i = 0; i < kPairStep; ++i) {
      if (std::find(pairs, pairs + count, BytePair{p[i], p[i + 1]}) != pairs + count) return p;
    }
  }
  return p;
}

}  // namespace

PairSearch pair_search(std::string_view instructions) {
  const auto target = vector_target(instructions);
  return target ? TOKMILL_COMPILED_FOR(*target, skip_without_pairs) : skip_byte_by_byte;
}

}  // namespace tokmill

#endif  // HWY_ONCE
