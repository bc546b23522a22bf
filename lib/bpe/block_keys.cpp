// A vector holds as many keys as it has times 16 bytes. The lengths of these pretokens, each spread over the
// 16 bytes of its key, say which bytes belong to it. Two vectors go through together, as many as the hashes
// of their keys fill one half of a vector.
//
// Compiled by Google Highway for each instruction set, and chosen at run time.
#include "bpe/block_keys.h"

#include <bit>

#include "text/vector_target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bpe/block_keys.cpp"
// clang-format off
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>
// clang-format on

#include "text/mask_bits-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tokmill::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Bytes = hn::ScalableTag<std::uint8_t>;
using Words = hn::Repartition<std::uint32_t, Bytes>;
using DoubleWords = hn::Repartition<std::uint64_t, Bytes>;
using Vector = hn::Vec<Bytes>;
constexpr std::size_t kVectorBytes = hn::MaxLanes(Bytes());
constexpr std::size_t kAtOnce = kVectorBytes / sizeof(PretokenKey);
constexpr int kUnitBits = std::countr_zero(SlotPlaces::kSlotBytes / SlotPlaces::kUnit);

// 16 bytes from each of kAtOnce places.
HWY_INLINE Vector load_texts(const char* base, const std::uint32_t* begin) {
  const hn::Full128<std::uint8_t> d;
  const auto load = [&](std::size_t i) {
    return hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(base + begin[i]));
  };
#if HWY_MAX_BYTES >= 32
  const hn::Full256<std::uint8_t> d2;
#if HWY_MAX_BYTES >= 64
  return hn::Combine(Bytes(), hn::Combine(d2, load(3), load(2)), hn::Combine(d2, load(1), load(0)));
#else
  return hn::Combine(d2, load(1), load(0));
#endif
#else
  return load(0);
#endif
}

// The number of each byte within its key; and, for each byte, where its key's length lies among 16 bytes of
// lengths.
struct Patterns {
  alignas(64) std::uint8_t place[kVectorBytes], length_at[kVectorBytes];
  constexpr Patterns() : place(), length_at() {
    for (std::size_t i = 0; i < kVectorBytes; ++i) {
      place[i] = static_cast<std::uint8_t>(i % sizeof(PretokenKey));
      length_at[i] = static_cast<std::uint8_t>(i / sizeof(PretokenKey) * sizeof(std::uint32_t));
    }
  }
};
constexpr Patterns kPatterns;

// The keys of kAtOnce pretokens of these lengths; `lengths` has 16 readable bytes.
HWY_INLINE Vector read_keys_at_once(const char* base, const std::uint32_t* begin,
                                    const std::uint32_t* lengths) {
  const Bytes d;
  const auto place = hn::Load(d, kPatterns.place);
  const auto length = hn::TableLookupBytes(hn::LoadDup128(d, reinterpret_cast<const std::uint8_t*>(lengths)),
                                           hn::Load(d, kPatterns.length_at));
  const auto bytes = hn::IfThenElseZero(hn::Lt(place, length), load_texts(base, begin));
  return hn::IfThenElse(hn::Eq(place, hn::Set(d, std::uint8_t{PretokenKey::kMaxLength})), length, bytes);
}

// See PretokenKey::hash.
HWY_INLINE hn::Vec<DoubleWords> multiply_words(Vector keys) {
  const DoubleWords d;
  const auto seed = hn::LoadDup128(d, PretokenKey::kSeed);
  const auto mixed = hn::Xor(hn::BitCast(d, keys), seed);
  return hn::MulEven(hn::BitCast(Words(), mixed), hn::BitCast(Words(), hn::ShiftRight<32>(mixed)));
}

// Sets `lengths`, and says which entries are long, 64 at a time.
HWY_INLINE void read_lengths(const PretokenBlock& block, std::uint32_t* lengths, BlockEntries& entries) {
  static_assert(PretokenBlock::kCapacity >= PretokenBlock::kEnough + 64 + 64);
  const Words d;
  const std::uint32_t *const begin = block.begin, *const end = block.end;
  const std::size_t size = block.size;
  const auto longest = hn::Set(d, std::uint32_t{PretokenKey::kMaxLength});
  std::size_t long_count = 0;
  for (std::size_t i = 0; i < size; i += 64) {
    std::uint64_t are_long = 0;
    for (std::size_t k = 0; k < 64; k += hn::MaxLanes(d)) {
      const auto length = hn::Sub(hn::LoadU(d, end + i + k), hn::LoadU(d, begin + i + k));
      hn::Store(length, d, lengths + i + k);
      are_long |= mask_bits(d, hn::Gt(length, longest)) << k;
    }
    if (size - i < 64) are_long &= (std::uint64_t{1} << (size - i)) - 1;
    for (; are_long != 0; are_long &= are_long - 1) {
      entries.long_ones[long_count++] =
          static_cast<std::uint32_t>(i) + static_cast<std::uint32_t>(std::countr_zero(are_long));
    }
  }
  entries.long_count = long_count;
}

void read_keys(const PretokenBlock& block, const SlotPlaces& in_slots, BlockEntries& entries) {
  alignas(64) std::array<std::uint32_t, PretokenBlock::kCapacity> lengths;
  read_lengths(block, lengths.data(), entries);
  // Copies, for the compiler has to think that whatever is stored could have changed the originals.
  const SlotPlaces slots = in_slots;
  const char* const base = block.base;
  const std::uint32_t* const begin = block.begin;
  const std::size_t size = block.size;
  std::size_t i = 0;
  for (; i + 2 * kAtOnce <= size; i += 2 * kAtOnce) {
    const Vector a = read_keys_at_once(base, begin + i, &lengths[i]);
    const Vector b = read_keys_at_once(base, begin + i + kAtOnce, &lengths[i + kAtOnce]);
    hn::Store(a, Bytes(), reinterpret_cast<std::uint8_t*>(&entries.keys[i]));
    hn::Store(b, Bytes(), reinterpret_cast<std::uint8_t*>(&entries.keys[i + kAtOnce]));
    const auto product_a = multiply_words(a), product_b = multiply_words(b);
    const auto sum = hn::Add(hn::ConcatEven(DoubleWords(), product_b, product_a),
                             hn::ConcatOdd(DoubleWords(), product_b, product_a));
    const hn::Half<Words> half;
    const auto hashes = hn::TruncateTo(half, hn::ShiftRight<PretokenKey::kHashShift>(sum));
    const auto numbers = hn::And(hashes, hn::Set(half, slots.mask));
    hn::StoreU(hn::ShiftLeft<kUnitBits>(numbers), half, &entries.places[i]);
    for (std::size_t k = i; k < i + 2 * kAtOnce; ++k) slots.prefetch(entries.places[k]);
  }
  for (; i < size; ++i) entries.read(block, slots, i);
}

}  // namespace tokmill::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace tokmill {

namespace {
void read_keys_one_by_one(const PretokenBlock& block, const SlotPlaces& slots, BlockEntries& entries) {
  entries.long_count = 0;
  for (std::size_t i = 0; i < block.size; ++i) {
    entries.read(block, slots, i);
    if (block[i].size() > PretokenKey::kMaxLength) {
      entries.long_ones[entries.long_count++] = static_cast<std::uint32_t>(i);
    }
  }
}
}  // namespace

BlockKeys::BlockKeys(std::string_view instructions) {
  const auto target = vector_target(instructions);
  read_ = target ? TOKMILL_COMPILED_FOR(*target, read_keys) : read_keys_one_by_one;
}

void BlockKeys::read(const PretokenBlock& block, const SlotPlaces& slots) {
  read_(block, slots, entries_);
  for (std::size_t i = 0; i < entries_.long_count; ++i) {
    const std::size_t entry = entries_.long_ones[i];
    entries_.keys[entry] = {i, kLong};
    long_hashes_[i] = hash_long_pretoken(block[entry]);
  }
  for (std::size_t i = 0; i < block.special_count; ++i) {
    entries_.keys[block.specials[i].entry] = {0, kSpecial};
  }
}

}  // namespace tokmill

#endif  // HWY_ONCE
