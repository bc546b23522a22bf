// Short pretokens as 16-byte keys, and the hashes of the tables in memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "io/checksum.h"

#if defined(__SSE4_1__)
#include <smmintrin.h>
#endif

namespace tokmill {

/// A pretoken of at most kMaxLength bytes: the bytes, zeros, and the length in the last byte. Different
/// pretokens have different keys, and no key is all zero.
struct alignas(16) PretokenKey {
  static constexpr std::size_t kMaxLength = 15;

  std::uint64_t low, high;  // not set by themselves: blocks hold hundreds of keys

  /// Reads 16 bytes at p, whatever the length (see Scanner::kSlack); 0 < length <= kMaxLength.
  static PretokenKey read(const char* p, std::size_t length) {
    Words words;
    std::memcpy(&words, p, sizeof words);
    words = (words & kMasks[length]) | kLengths[length];
    return {words[0], words[1]};
  }
  static bool fits(std::string_view pretoken) { return pretoken.size() <= kMaxLength; }
  /// The same for bytes without slack after them.
  static PretokenKey of(std::string_view pretoken) {
    char padded[16] = {};
    std::memcpy(padded, pretoken.data(), pretoken.size());
    return read(padded, pretoken.size());
  }

  bool empty() const { return high == 0; }  // the length is never zero
  std::size_t length() const { return high >> 56; }
  std::string_view bytes() const { return {reinterpret_cast<const char*>(this), length()}; }
  bool operator==(const PretokenKey& other) const {
#if defined(__SSE4_1__)
    const __m128i difference =
        _mm_xor_si128(*reinterpret_cast<const __m128i*>(this), *reinterpret_cast<const __m128i*>(&other));
    return _mm_testz_si128(difference, difference) != 0;
#else
    return ((low ^ other.low) | (high ^ other.high)) == 0;
#endif
  }

  /// For tables in memory only. The four words are multiplied by twos and the products added, as in NH, the
  /// hash within UMAC (RFC 4418): BlockKeys does the same for many keys at a time. Products mix their middle
  /// bits best.
  std::uint32_t hash() const {
    const std::uint64_t a = low ^ kSeed[0], b = high ^ kSeed[1];
    const std::uint64_t sum = (a & UINT32_MAX) * (a >> 32) + (b & UINT32_MAX) * (b >> 32);
    return static_cast<std::uint32_t>(sum >> kHashShift);
  }
  static constexpr std::uint64_t kSeed[2] = {0x9E3779B97F4A7C15, 0xD1B54A32D192ED03};
  static constexpr int kHashShift = 20;

 private:
  using Words [[gnu::vector_size(16)]] = std::uint64_t;  // in one register
  static constexpr std::array<Words, 16> kMasks = [] {
    std::array<Words, 16> masks{};
    for (std::size_t n = 0; n < 16; ++n) {
      masks[n] = Words{n >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * n)) - 1,
                       n > 8 ? (std::uint64_t{1} << (8 * (n - 8))) - 1 : 0};
    }
    return masks;
  }();
  static constexpr std::array<Words, 16> kLengths = [] {
    std::array<Words, 16> lengths{};
    for (std::size_t n = 0; n < 16; ++n) lengths[n] = Words{0, std::uint64_t{n} << 56};
    return lengths;
  }();
};

/// The hash of a longer pretoken; the same as in count tables.
inline std::uint64_t hash_long_pretoken(std::string_view pretoken) {
  return Checksum::of(pretoken);
}

/// The hash of any pretoken.
inline std::uint64_t hash_pretoken(std::string_view pretoken) {
  return PretokenKey::fits(pretoken) ? PretokenKey::of(pretoken).hash() : hash_long_pretoken(pretoken);
}

}  // namespace tokmill
