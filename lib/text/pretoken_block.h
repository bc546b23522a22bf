// A block of pretokens: what scanners fill and what counting and encoding consume.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

namespace tokmill {

/// Pretokens in the order of the text. Pretoken i is the bytes [begin[i], end[i]) after `base`.
///
/// Most patterns leave no gaps: there `end[i]` is `begin[i + 1]`, and scanners fill one array only, with
/// `end` pointing one past `begin`. A pattern that drops text fills both.
///
/// A special token found in the text stands among the pretokens as an entry of its own, and is listed in
/// `specials` besides.
struct PretokenBlock {
  /// A scanner stops once a block holds at least this many entries.
  static constexpr std::size_t kEnough = 512;
  /// It may overshoot by one 64-byte vector of one-byte pretokens, and the write of a whole vector.
  static constexpr std::size_t kCapacity = kEnough + 192;

  struct Special {
    std::uint32_t entry;  // its place among the block's pretokens
    std::uint32_t index;  // which special token (its place in SpecialTokens)
  };

  const char* base = nullptr;
  std::size_t size = 0;
  const std::uint32_t* begin = starts.data();
  const std::uint32_t* end = starts.data() + 1;
  std::size_t special_count = 0;

  alignas(64) std::array<std::uint32_t, kCapacity> starts{};
  alignas(64) std::array<std::uint32_t, kCapacity> ends{};
  std::array<Special, kCapacity> specials;

  std::string_view operator[](std::size_t i) const { return {base + begin[i], end[i] - begin[i]}; }
  bool full() const { return size >= kEnough; }

  /// The place of `p` in the block; throws Error where that is beyond 4 GiB.
  std::uint32_t offset(const char* p) const {
    const auto distance = static_cast<std::uint64_t>(p - base);
    if (distance > std::numeric_limits<std::uint32_t>::max()) throw_too_far();
    return static_cast<std::uint32_t>(distance);
  }
  /// Adds the pretoken [first, last), to both arrays.
  void append(const char* first, const char* last) {
    starts[size] = offset(first);
    ends[size] = starts[size + 1] = offset(last);
    ++size;
  }

  /// Empties it, for text from `new_base` on.
  void clear(const char* new_base) {
    base = new_base;
    size = special_count = 0;
  }

  PretokenBlock() = default;
  PretokenBlock(const PretokenBlock&) = delete;
  PretokenBlock& operator=(const PretokenBlock&) = delete;

 private:
  [[noreturn]] static void throw_too_far();
};

}  // namespace tokmill
