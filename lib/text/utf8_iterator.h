// Bytes as a sequence of characters, for algorithms that want iterators.
#pragma once

#include <cstddef>
#include <iterator>

#include "text/utf8.h"

namespace tokmill {

/// Reads the code points of a text, forwards and backwards; an invalid byte is one character of the value
/// Utf8Character::kInvalidByte. Must not outlive the text.
class Utf8Iterator {
 public:
  using iterator_category = std::bidirectional_iterator_tag;
  using value_type = char32_t;
  using difference_type = std::ptrdiff_t;
  using pointer = const char32_t*;
  using reference = char32_t;

  Utf8Iterator() = default;
  /// At `place` in the text [begin, end), where a character begins or the text ends.
  Utf8Iterator(const char* begin, const char* place, const char* end)
      : begin_(begin), place_(place), end_(end) {}

  const char* place() const { return place_; }

  char32_t operator*() const { return decode_utf8(place_, end_).code_point; }
  Utf8Iterator& operator++() {
    place_ += decode_utf8(place_, end_).length;
    return *this;
  }
  Utf8Iterator operator++(int) {
    const Utf8Iterator before = *this;
    ++*this;
    return before;
  }
  /// A byte that begins a character never belongs to another, so a valid character that ends here is the
  /// one that reading forwards finds.
  Utf8Iterator& operator--() {
    for (std::uint32_t length = 2; length <= 4 && place_ - begin_ >= length; ++length) {
      const Utf8Character character = decode_utf8(place_ - length, place_);
      if (character.length == length) {
        place_ -= length;
        return *this;
      }
    }
    --place_;
    return *this;
  }
  Utf8Iterator operator--(int) {
    const Utf8Iterator before = *this;
    --*this;
    return before;
  }
  bool operator==(const Utf8Iterator& other) const { return place_ == other.place_; }

 private:
  const char* begin_ = nullptr;
  const char* place_ = nullptr;
  const char* end_ = nullptr;
};

}  // namespace tokmill
