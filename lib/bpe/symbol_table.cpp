#include "bpe/symbol_table.h"

#include "format/byte_spelling.h"

namespace tokmill {

SymbolTable::SymbolTable(TieBreak tie_break) : tie_break_(tie_break) {
  for (std::uint64_t byte = 0; byte < 256; ++byte) {
    text_.push_back(static_cast<char>(byte));
    add(byte << 56);
  }
  if (tie_break == TieBreak::kHf) {
    std::uint64_t id = 0;
    for (const std::uint8_t byte : bytes_by_spelling()) order_[byte] = ~id++;
  }
}

void SymbolTable::add(std::size_t a, std::size_t b) {
  const std::size_t begin = begins_[a], length = begins_[a + 1] - begin;
  text_.append(text_, begin, length).append(text_, begins_[b], begins_[b + 1] - begins_[b]);
  add(length < 8 ? order_[a] | order_[b] >> (8 * length) : order_[a]);
}

void SymbolTable::add(std::uint64_t prefix) {
  order_.push_back(tie_break_ == TieBreak::kHf ? ~std::uint64_t{order_.size()} : prefix);
  begins_.push_back(text_.size());
}

}  // namespace tokmill
