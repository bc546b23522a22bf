// What tests of several folders share: seeded random choices, and text with readable bytes after it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tokmill::test {

/// Random choices that are the same on every machine (the standard fixes the engine, not its distributions).
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  /// A number in [0, bound).
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(engine_() % bound); }
  /// A number in [low, high].
  std::size_t between(std::size_t low, std::size_t high) { return low + below(high - low + 1); }
  std::string bytes(std::size_t size) {
    std::string out(size, '\0');
    for (char& c : out) c = static_cast<char>(below(256));
    return out;
  }
  template <class T>
  const T& pick(const std::vector<T>& values) {
    return values[below(values.size())];
  }
  /// `count` of the pieces, one after the other.
  std::string join(const std::vector<std::string>& pieces, std::size_t count) {
    std::string out;
    while (count-- > 0) out += pick(pieces);
    return out;
  }

 private:
  std::mt19937_64 engine_;
};

/// Text followed by the slack that scanners may read. The slack is filled with letters, so that a scanner
/// that heeds it gives wrong pretokens.
class PaddedText {
 public:
  explicit PaddedText(std::string_view text) : bytes_(text), size_(text.size()) { bytes_.append(64, 'x'); }

  std::string_view view() const { return {bytes_.data(), size_}; }
  operator std::string_view() const { return view(); }
  const char* begin() const { return bytes_.data(); }
  const char* end() const { return bytes_.data() + size_; }

 private:
  std::string bytes_;
  std::size_t size_;
};

}  // namespace tokmill::test
