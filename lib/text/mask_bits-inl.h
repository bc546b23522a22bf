// Comparisons of vectors as bits of a number.
//
// Included once for each instruction set, as Highway wants it.
#if defined(TOKMILL_TEXT_MASK_BITS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TOKMILL_TEXT_MASK_BITS_INL_H_
#undef TOKMILL_TEXT_MASK_BITS_INL_H_
#else
#define TOKMILL_TEXT_MASK_BITS_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace tokmill::HWY_NAMESPACE {

/// A bit for each lane of a vector of the type D, the first one lowest.
template <class D, class VectorMask>
HWY_INLINE std::uint64_t mask_bits(D d, VectorMask mask) {
  std::uint8_t stored[8] = {};
  hwy::HWY_NAMESPACE::StoreMaskBits(d, mask, stored);
  std::uint64_t bits;
  std::memcpy(&bits, stored, sizeof bits);
  return bits;
}

}  // namespace tokmill::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
