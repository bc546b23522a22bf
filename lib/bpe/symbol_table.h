// The symbols of a training: their bytes, and which of two wins a tie.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tokmill {

/// Which of the pairs with the greatest count is merged.
enum class TieBreak {
  kBytes,  // the greatest (left bytes, right bytes)
  kHf,     // the smallest (left id, right id), bytes being numbered by their spelling, merges after them in
           // order: as Hugging Face tokenizers does it where its alphabet is all bytes
};

/// Symbols are numbered from 0 as they are added; the first 256 are the bytes.
class SymbolTable {
 public:
  explicit SymbolTable(TieBreak tie_break);

  std::size_t size() const { return order_.size(); }
  /// The bytes of a symbol, valid until the next is added.
  std::string_view bytes(std::size_t symbol) const {
    return std::string_view(text_).substr(begins_[symbol], begins_[symbol + 1] - begins_[symbol]);
  }
  /// A symbol without bytes, which has a number only.
  void add_empty() { add(0); }
  /// The symbol whose bytes are those of `a` and then those of `b`.
  void add(std::size_t a, std::size_t b);

  /// Negative where `a` loses a tie against `b`, 0 where they are the same.
  int compare(std::size_t a, std::size_t b) const {
    if (a == b) return 0;
    if (order_[a] != order_[b]) return order_[a] < order_[b] ? -1 : 1;
    return bytes(a).compare(bytes(b));
  }

 private:
  void add(std::uint64_t prefix);  // of what was appended to the text

  TieBreak tie_break_;
  std::string text_;                      // the bytes of all symbols
  std::vector<std::uint64_t> begins_{0};  // where they begin in it, and the end of the last
  std::vector<std::uint64_t> order_;      // what decides nearly always: the first eight bytes as a big-endian
                                          // number, or the complement of the id
};

}  // namespace tokmill
