// 64 bytes at a time. Comparisons give a mask of 64 bits for each class of characters; then the places where
// pretokens begin are a few shifts and ands:
//   - a letter, number or other character begins one where the byte before is of another class and not a
//   space (0x20),
//     for a space belongs to the run that follows it;
//   - white space begins one where its run begins, and again at the run's last character, if something
//   follows: that is
//     `\s+(?!\S)`;
//   - an apostrophe that begins a pretoken, with s, d, m, t, ll, ve or re after it, moves the next beginning
//   behind
//     these letters.
// What a block needs of the one before is in a few carried bits. The characters of a block that are not ASCII
// are painted (block_painter-inl.h): every byte gets its character's class, and the same arithmetic holds.
//
// A scan begins where a pretoken begins, so that nothing has to be known of what lies before. It ends at the
// last beginning it has seen: the pretoken there may go on, and the next scan looks at it again.
//
// Compiled by Google Highway for each instruction set, and chosen at run time.
#include "text/vector_gpt2_scanner.h"

#include <cstring>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "text/vector_gpt2_scanner.cpp"
// clang-format off
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>
// clang-format on

#include "text/block_painter-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tokmill::HWY_NAMESPACE {

// What the text before a block says of it; all 0 where a pretoken begins.
struct Carry {
  Mask letter = 0, number = 0, other = 0, white_space = 0, space = 0;  // the class of the byte before, 0 or 1
  Mask apostrophe = 0;         // the byte before is an apostrophe that begins a pretoken
  Mask after_contraction = 0;  // bits where a contraction that began before ends
  MaskCarry characters;
};

// The bytes of a block by what comparing them says.
struct Bytes {
  ClassMasks ascii;
  Mask high;   // above 0x7F
  Mask space;  // 0x20
  Mask apostrophe;
  Mask one_letter;   // s, d, m, t
  Mask two_letters;  // ll, ve, re begin here
};

HWY_INLINE Bytes compare_bytes(const char* block) {
  Bytes bytes{};
  for (std::size_t i = 0; i < 64; i += kVectorBytes) {
    const auto text = load_bytes(block + i), next = load_bytes(block + i + 1);
    const auto is = [&](char c) { return hn::Eq(text, all_bytes(c)); };
    const auto space = is(' ');
    put_bits(bytes.ascii.letter,
             hn::Lt(hn::Sub(hn::Or(text, all_bytes(0x20)), all_bytes('a')), all_bytes(26)), i);
    put_bits(bytes.ascii.number, hn::Lt(hn::Sub(text, all_bytes('0')), all_bytes(10)), i);
    put_bits(bytes.ascii.white_space, hn::Or(space, hn::Lt(hn::Sub(text, all_bytes(9)), all_bytes(5))), i);
    put_bits(bytes.high, hn::Gt(text, all_bytes(0x7F)), i);
    put_bits(bytes.space, space, i);
    put_bits(bytes.apostrophe, is('\''), i);
    put_bits(bytes.one_letter, hn::Or(hn::Or(is('s'), is('t')), hn::Or(is('d'), is('m'))), i);
    const auto ve_or_re = hn::And(hn::Or(is('v'), is('r')), hn::Eq(next, all_bytes('e')));
    put_bits(bytes.two_letters, hn::Or(hn::And(is('l'), hn::Eq(next, all_bytes('l'))), ve_or_re), i);
  }
  return bytes;
}

// Adds the ends of runs of white space whose last character is not ASCII: it begins a pretoken if something
// follows.
HWY_NOINLINE Mask last_wide_white_spaces(const char* block, const char* end, Mask wide_white_space) {
  Mask starts = 0;
  for (Mask todo = wide_white_space; todo != 0; todo &= todo - 1) {
    const int i = std::countr_zero(todo);
    if (static_cast<std::uint8_t>(block[i]) < 0xC0) continue;  // within a character
    const char* const next = block + i + classify(block + i, end).length;
    if (next < end && classify(next, end).character_class != kWhiteSpace) starts |= Mask{1} << i;
  }
  return starts;
}

// The places in the block where pretokens begin, of those before `end`. `valid` are the bytes before `end`.
HWY_INLINE Mask find_starts(const char* block, const char* end, Mask valid, Carry& carry) {
  const Bytes bytes = compare_bytes(block);
  ClassMasks masks = bytes.ascii;
  const Mask high = bytes.high & valid;
  if (high != 0) paint_block(block, end, high, masks, carry.characters);

  const Mask letter = masks.letter & valid, number = masks.number & valid,
             white_space = masks.white_space & valid;
  const Mask other = ~(letter | number | white_space) & valid;
  const Mask space = bytes.space & valid;

  // Whether white space, or the end of the text, follows. The next block's first byte nearly always says it;
  // only where it does not is there a branch, for whether a block ends in white space cannot be foretold.
  const bool last_block = end - block <= 64;
  Mask next_is_white_space = 1;
  if (!last_block) {
    const Mask next = unicode_tables::kWhiteSpaceBytes[static_cast<std::uint8_t>(block[64])];
    next_is_white_space = next & 1;
    if ((next >> 1 & white_space >> 63) != 0) [[unlikely]]
      next_is_white_space = classify(block + 64, end).character_class == kWhiteSpace;
  }
  const Mask white_space_after = (white_space | ~valid) >> 1 | next_is_white_space << 63;
  const auto begins = [](Mask run, Mask before) { return run & ~(run << 1 | before); };
  Mask starts = (begins(letter, carry.letter) | begins(number, carry.number) | begins(other, carry.other)) &
                ~(space << 1 | carry.space);
  starts |= begins(white_space, carry.white_space) | (white_space & ~high & ~white_space_after);
  if ((white_space & high) != 0) [[unlikely]]
    starts |= last_wide_white_spaces(block, end, white_space & high);

  const Mask contracting = bytes.apostrophe & starts;
  const Mask after_apostrophe = contracting << 1 | carry.apostrophe;
  const Mask both_valid = last_block ? valid >> 1 : ~Mask{0};
  const Mask one = after_apostrophe & bytes.one_letter & valid;
  const Mask two = after_apostrophe & bytes.two_letters & valid & both_valid;
  starts = ((starts & ~(one | two)) | one << 1 | two << 2 | carry.after_contraction) & valid;

  carry.letter = letter >> 63;
  carry.number = number >> 63;
  carry.other = other >> 63;
  carry.white_space = white_space >> 63;
  carry.space = space >> 63;
  carry.apostrophe = contracting >> 63;
  carry.after_contraction = one >> 63 | two >> 62;
  return starts;
}

// Writes the places of the bits, plus `offset`; may write up to 64 numbers. Returns their number.
HWY_INLINE std::size_t write_places(Mask bits, std::uint32_t offset, std::uint32_t* out) {
  const auto count = static_cast<std::size_t>(std::popcount(bits));
#if HWY_TARGET == HWY_AVX3_DL
  const __m512i iota =
      _mm512_set_epi8(63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43, 42,
                      41, 40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20,
                      19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  const __m512i places = _mm512_maskz_compress_epi8(bits, iota);
  const __m512i base = _mm512_set1_epi32(static_cast<int>(offset));
  const auto widen = [&](__m128i part, std::size_t at) {
    _mm512_storeu_si512(out + at, _mm512_add_epi32(base, _mm512_cvtepu8_epi32(part)));
  };
  widen(_mm512_castsi512_si128(places), 0);
  widen(_mm512_extracti32x4_epi32(places, 1), 16);
  if (count > 32) [[unlikely]] {
    widen(_mm512_extracti32x4_epi32(places, 2), 32);
    widen(_mm512_extracti32x4_epi32(places, 3), 48);
  }
#else
  // Eight at a time, more than there are if need be: fewer branches to guess.
  for (std::size_t done = 0; done < count; done += 8) {
    for (std::size_t k = 0; k < 8; ++k) {
      out[done + k] = offset + static_cast<std::uint32_t>(std::countr_zero(bits));
      bits &= bits - 1;
    }
  }
#endif
  return count;
}

const char* scan(const char* from, const char* end, PretokenBlock& block) {
  Carry carry;
  std::uint32_t* const starts = block.starts.data();
  std::size_t size = block.size;  // of starts seen
  const char* p = from;
  for (; end - p >= 64 && size <= PretokenBlock::kEnough; p += 64) {
    size += write_places(find_starts(p, end, ~Mask{0}, carry), static_cast<std::uint32_t>(p - block.base),
                         starts + size);
  }
  if (size > PretokenBlock::kEnough) {
    block.size = size - 1;
    return block.base + starts[size - 1];
  }
  if (p < end) {
    const Mask valid = ~Mask{0} >> (64 - (end - p));
    size += write_places(find_starts(p, end, valid, carry), static_cast<std::uint32_t>(p - block.base),
                         starts + size);
  }
  starts[size] = static_cast<std::uint32_t>(end - block.base);
  block.size = size;
  return end;
}

}  // namespace tokmill::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace tokmill {

VectorGpt2Scanner::VectorGpt2Scanner(const VectorTarget& target)
    : scan_(TOKMILL_COMPILED_FOR(target, scan)) {}

const char* VectorGpt2Scanner::scan(const char* from, const char* end, PretokenBlock& block) const {
  // A pretoken that may end beyond the reach of 32 bits is left to the scanner that checks each.
  if (end - block.base > std::numeric_limits<std::uint32_t>::max())
    return Gpt2Scanner::scan(from, end, block);
  return scan_(from, end, block);
}

}  // namespace tokmill

#endif  // HWY_ONCE
