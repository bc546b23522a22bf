// Paints a block of 64 bytes on vectors: what paint_characters does, for all characters of a block at once.
//
// A block of well-formed characters of two and three bytes is what this is for; a block with anything else, a
// character of four bytes or bytes that are not valid UTF-8, is left to paint_characters. The classes are
// found at the first bytes of the characters, with the bytes after them in two more vectors, and spread over
// the others by shifts.
//
// A page is 64 code points, those of characters that differ in their last byte only. Pages all of letters, as
// in most Chinese and Korean text, are known by a table of one bit for each page; of the others, each that
// occurs in the block is looked up for all its characters at once. With AVX-512 VBMI all characters of two
// bytes are looked up at once; in vectors of 16 bytes, blocks with characters of three bytes are left to
// paint_characters too.
//
// Included once for each instruction set, as Highway wants it.
#if defined(TOKMILL_TEXT_BLOCK_PAINTER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TOKMILL_TEXT_BLOCK_PAINTER_INL_H_
#undef TOKMILL_TEXT_BLOCK_PAINTER_INL_H_
#else
#define TOKMILL_TEXT_BLOCK_PAINTER_INL_H_
#endif

#include <hwy/highway.h>

#include "text/class_masks.h"
#include "text/mask_bits-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tokmill::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Mask = std::uint64_t;
using ByteVector = hn::CappedTag<std::uint8_t, 64>;

constexpr std::size_t kVectorBytes = hn::MaxLanes(ByteVector());

HWY_INLINE auto load_bytes(const void* p) {
  return hn::LoadU(ByteVector(), static_cast<const std::uint8_t*>(p));
}

HWY_INLINE auto all_bytes(int value) {
  return hn::Set(ByteVector(), static_cast<std::uint8_t>(value));
}

/// Adds the bits of a vector's comparison that stand for the bytes from `i` on.
template <class VectorMask>
HWY_INLINE void put_bits(Mask& bits, VectorMask mask, std::size_t i) {
  bits |= mask_bits(ByteVector(), mask) << (i & 63);
}

/// table[index] for each byte of `indices`, all below kSize.
template <std::size_t kSize, class V>
HWY_INLINE V look_up(const std::uint8_t* table, V indices) {
#if HWY_TARGET == HWY_AVX3_DL
  const auto part = [&](std::size_t at) { return _mm512_load_si512(table + at); };
  if constexpr (kSize == 64) {
    return V{_mm512_permutexvar_epi8(indices.raw, part(0))};
  } else if constexpr (kSize == 128) {
    return V{_mm512_permutex2var_epi8(part(0), indices.raw, part(64))};
  } else {
    return V{_mm512_mask_blend_epi8(_mm512_movepi8_mask(indices.raw),
                                    _mm512_permutex2var_epi8(part(0), indices.raw, part(64)),
                                    _mm512_permutex2var_epi8(part(128), indices.raw, part(192)))};
  }
#else
  V found = hn::Zero(ByteVector());
  for (std::size_t at = 0; at < kSize; at += 16) {
    // Indices into this part become 0x70..0x7F and then 0..0xF, the others have their high bit set, for which
    // there is 0. What lies between, x86 takes for an index and others do not.
    const auto sum = hn::SaturatedAdd(hn::Xor(indices, all_bytes(static_cast<int>(at))), all_bytes(0x70));
    const auto place = hn::And(sum, all_bytes(0x8F));
    found = hn::Or(found, hn::TableLookupBytesOr0(hn::LoadDup128(ByteVector(), table + at), place));
  }
  return found;
#endif
}

// Whether all 2048 code points of two bytes fit into registers.
constexpr bool kWholeTables = HWY_TARGET == HWY_AVX3_DL;

// Whether characters of three bytes are found faster than one by one; in vectors of 16 bytes they are not.
constexpr bool kThreeBytes = kVectorBytes >= 32;

// The first bytes of a block's characters that are not ASCII.
struct FirstBytes {
  Mask all = 0;
  Mask three = 0;    // of characters of three bytes
  Mask covered = 0;  // as in MaskCarry: bytes of the next block
};

/// False if there is anything but whole, well-formed characters of two and three bytes before `end`.
/// Surrogates pass for characters: they have no class, as bytes that are not valid have none.
HWY_INLINE bool find_first_bytes(const char* block, const char* end, Mask high, Mask covered_before,
                                 FirstBytes& first) {
  if (end - block < 2) [[unlikely]]
    return false;  // the third bytes would be read beyond the slack
  Mask strange = 0;
  for (std::size_t i = 0; i < 64; i += kVectorBytes) {
    const auto text = load_bytes(block + i);
    put_bits(first.all, hn::Gt(text, all_bytes(0xBF)), i);
    put_bits(first.three, hn::Gt(text, all_bytes(0xDF)), i);
    put_bits(strange, hn::Eq(hn::And(text, all_bytes(0xFE)), all_bytes(0xC0)), i);  // overlong
  }
  first.all &= high;
  first.three &= high;
  if (first.three != 0) {
    if (!kThreeBytes) return false;
    for (std::size_t i = 0; i < 64; i += kVectorBytes) {
      const auto text = load_bytes(block + i), second = load_bytes(block + i + 1);
      const auto overlong = hn::And(hn::Eq(text, all_bytes(0xE0)), hn::Lt(second, all_bytes(0xA0)));
      const auto four = hn::Gt(text, all_bytes(0xEF));  // or no first byte at all
      put_bits(strange, hn::Or(four, overlong), i);
    }
  }
  first.covered = first.all >> 63 | first.three >> 62;
  const Mask wanted = first.all << 1 | first.three << 2 | covered_before;
  const auto goes_on = [&](int i) { return Mask{(static_cast<std::uint8_t>(block[i]) & 0xC0) == 0x80}; };
  const Mask after = end - block < 66 ? 0 : goes_on(64) | goes_on(65) << 1;
  return ((strange & high) | (wanted ^ (high & ~first.all)) | (first.covered & ~after)) == 0;
}

// Whether the bit of the low three bits of `number` is set.
template <class V>
HWY_INLINE auto test_bit(V bytes, V number) {
  alignas(16) static constexpr std::uint8_t kBits[16] = {1, 2, 4, 8, 16, 32, 64, 128,
                                                         1, 2, 4, 8, 16, 32, 64, 128};
  const auto bit = hn::TableLookupBytes(hn::LoadDup128(ByteVector(), kBits), hn::And(number, all_bytes(7)));
  return hn::TestBit(bytes, bit);
}

// Adds the classes of the characters that begin at the bits of `todo`, one page after the other.
HWY_INLINE void add_pages(const char* p, const FirstBytes& first, Mask todo, ClassMasks& classes) {
  using V = decltype(load_bytes(p));
  V found[64 / kVectorBytes];
  for (V& part : found) part = hn::Zero(ByteVector());
  do {
    const int at = std::countr_zero(todo);
    const bool three = (first.three >> at & 1) != 0;
    const auto byte = [&](int i) { return static_cast<std::uint8_t>(p[at + i]); };
    const unsigned page = three ? (byte(0) & 0xFu) << 6 | (byte(1) & 0x3Fu) : byte(0) & 0x1Fu;
    const std::uint8_t* const table =
        unicode_tables::kPages[unicode_tables::kPageIndex[page >> 1]] + (page & 1) * 64;
    Mask done = 0;
    for (std::size_t i = 0; i < 64; i += kVectorBytes) {
      const auto second = load_bytes(p + i + 1);
      auto here = hn::Eq(load_bytes(p + i), all_bytes(byte(0)));
      auto last = second;
      if (three) {
        here = hn::And(here, hn::Eq(second, all_bytes(byte(1))));
        last = load_bytes(p + i + 2);
      }
      put_bits(done, here, i);
      V& part = found[i / kVectorBytes];
      part = hn::IfThenElse(here, look_up<64>(table, hn::And(last, all_bytes(0x3F))), part);
    }
    todo &= ~done;
  } while (todo != 0);
  for (std::size_t i = 0; i < 64; i += kVectorBytes) {
    const V part = found[i / kVectorBytes];
    put_bits(classes.letter, hn::Eq(part, all_bytes(kLetter)), i);
    put_bits(classes.number, hn::Eq(part, all_bytes(kNumber)), i);
    put_bits(classes.white_space, hn::Eq(part, all_bytes(kWhiteSpace)), i);
  }
}

// The classes of well-formed characters, at their first bytes.
HWY_INLINE ClassMasks classify_first_bytes(const char* p, const FirstBytes& first) {
  ClassMasks classes;
  Mask todo = kWholeTables ? 0 : first.all & ~first.three;  // characters whose pages must be looked up
  if (kWholeTables && first.all != first.three) {
    const auto text = load_bytes(p), second = load_bytes(p + 1);
    const auto index = hn::Or(hn::ShiftLeft<3>(text), hn::And(hn::ShiftRight<3>(second), all_bytes(7)));
    Mask letter_or_space = 0, number_or_space = 0;
    put_bits(letter_or_space, test_bit(look_up<256>(unicode_tables::kLetterOrWhiteSpace, index), second), 0);
    put_bits(number_or_space, test_bit(look_up<256>(unicode_tables::kNumberOrWhiteSpace, index), second), 0);
    const Mask two = first.all & ~first.three;
    classes.letter = two & letter_or_space & ~number_or_space;
    classes.number = two & number_or_space & ~letter_or_space;
    classes.white_space = two & letter_or_space & number_or_space;
  }
  if (first.three != 0) {
    Mask letter_page = 0;
    for (std::size_t i = 0; i < 64; i += kVectorBytes) {
      const auto text = load_bytes(p + i), second = load_bytes(p + i + 1);
      const auto index = hn::Or(hn::And(hn::ShiftLeft<3>(text), all_bytes(0x78)),
                                hn::And(hn::ShiftRight<3>(second), all_bytes(7)));
      put_bits(letter_page, test_bit(look_up<128>(unicode_tables::kLetterPages, index), second), i);
    }
    classes.letter |= first.three & letter_page;
    todo |= first.three & ~letter_page;
  }
  if (todo != 0) add_pages(p, first, todo, classes);
  return classes;
}

/// Adds the classes of the characters that are not ASCII, as paint_characters does.
HWY_INLINE void paint_block(const char* block, const char* end, Mask high, ClassMasks& masks,
                            MaskCarry& carry) {
  FirstBytes first;
  if (!find_first_bytes(block, end, high, carry.covered, first)) [[unlikely]] {
    paint_characters(block, end, high, masks, carry);
    return;
  }
  const ClassMasks classes = classify_first_bytes(block, first);
  const auto spread = [&](Mask mask) { return mask | mask << 1 | (mask & first.three) << 2; };
  const auto beyond = [&](Mask mask) { return mask >> 63 | (mask & first.three) >> 62; };
  masks.letter |= spread(classes.letter) | carry.classes.letter;
  masks.number |= spread(classes.number) | carry.classes.number;
  masks.white_space |= spread(classes.white_space) | carry.classes.white_space;
  carry = {{beyond(classes.letter), beyond(classes.number), beyond(classes.white_space)}, first.covered};
}

}  // namespace tokmill::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // TOKMILL_TEXT_BLOCK_PAINTER_INL_H_
