// Pretokens of up to 61 bytes keep a number for each place: the rank of the pair that begins there, and the
// place itself in the low bits. The least of these numbers says which pair is next, the leftmost of equals.
// Symbols stay at the place of their first byte, and a bit for each place says where one begins: neighbours
// are found by counting zeros, and nothing moves. A step has one branch only, whether there is another step.
//
// Longer ones would take quadratic time so. They are a linked list of symbols with a heap of the pairs in it;
// a pair whose symbols have changed since it was queued is dropped when it comes up.
#include "bpe/merge_loop.h"

#include <algorithm>
#include <bit>

namespace tokmill {

namespace {
constexpr std::uint64_t kNowhere = UINT64_MAX;
constexpr std::uint32_t kGone = UINT32_MAX;  // a symbol merged into its left neighbour
constexpr std::uint32_t kNone = UINT32_MAX;

// The least of the numbers at places 1 to `last`; those behind are as large as any.
template <std::size_t Size>
[[gnu::always_inline]] inline std::uint32_t least(const std::array<std::uint32_t, Size>& numbers, std::size_t last) {
  std::uint32_t a = kNone, b = kNone, c = kNone, d = kNone;
  for (std::size_t i = 1; i <= last; i += 4) {
    a = std::min(a, numbers[i]);
    b = std::min(b, numbers[i + 1]);
    c = std::min(c, numbers[i + 2]);
    d = std::min(d, numbers[i + 3]);
    // Not in vectors: they would wait for the single numbers stored just before.
    asm("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
  }
  return std::min(std::min(a, b), std::min(c, d));
}
}  // namespace

UnspellableByte::UnspellableByte(const char* where)
    : std::runtime_error("a byte that the vocabulary cannot spell"), place(where) {}

template <class Id>
MergeLoop<Id>::MergeLoop(const TokenizerModel& model) : ranks_(model), spells_all_bytes_(true) {
  for (int byte = 0; byte < 256; ++byte) {
    spells_all_bytes_ = spells_all_bytes_ && ranks_.spells(static_cast<unsigned char>(byte));
  }
  if (!model.ignore_merges) return;
  for (std::uint32_t id = 0; id < model.tokens.size(); ++id) {
    if (!model.tokens[id].empty()) whole_.emplace(model.tokens[id], id);
  }
  for (const auto& special : model.specials) whole_.erase(special.text);
}

template <class Id>
std::span<const Id> MergeLoop<Id>::encode(std::string_view pretoken) {
  ids_.clear();
  if (!whole_.empty()) {
    if (const auto found = whole_.find(std::string(pretoken)); found != whole_.end()) {
      ids_.push_back(static_cast<Id>(found->second));
      return ids_;
    }
  }
  if (!spells_all_bytes_) {
    for (const char& byte : pretoken) {
      if (!ranks_.spells(static_cast<unsigned char>(byte))) throw UnspellableByte(&byte);
    }
  }
  // Two places are for the borders; and one is left over, for `least` reads on to the end of four.
  if (pretoken.size() <= 13) {
    merge_short<16>(pretoken);
  } else if (pretoken.size() <= 61) {
    merge_short<64>(pretoken);
  } else {
    merge_long(pretoken);
  }
  return ids_;
}

template <class Id>
template <unsigned Places>
void MergeLoop<Id>::merge_short(std::string_view pretoken) {
  constexpr int kPlaceBits = std::countr_zero(Places);
  constexpr std::uint32_t kDone = kNone << kPlaceBits;  // as large as this: no pair
  const std::size_t size = pretoken.size();
  // The byte i is at place i + 1; a border is at place 0 and another behind the last byte.
  std::array<std::uint32_t, Places> order, symbols;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(pretoken[i]); };
  order.fill(kNone);
  symbols[0] = symbols[size + 1] = 0;
  symbols[1] = ranks_.symbol_of_byte(byte(0));
  for (std::uint32_t i = 1; i < size; ++i) {
    symbols[i + 1] = ranks_.symbol_of_byte(byte(i));
    order[i] = ranks_.find_bytes(byte(i - 1), byte(i)) << kPlaceBits | i;
  }
  const std::uint64_t last = std::uint64_t{1} << (size + 1);
  std::uint64_t begins = last | (last - 1);  // bit i: a symbol, or a border, is at place i
  for (;;) {
    const std::uint32_t first = least(order, Places == 16 ? 12 : size - 1);
    if (first >= kDone) break;
    const std::uint32_t left = first & (Places - 1);
    const std::uint64_t bit = std::uint64_t{1} << left;
    const std::uint64_t ahead = begins & (bit - 1);
    const std::uint64_t from_right = begins & ~(bit | (bit - 1));
    const std::uint64_t behind = from_right & (from_right - 1);
    const auto before = static_cast<std::uint32_t>(63 - std::countl_zero(ahead));
    const auto right = static_cast<std::uint32_t>(std::countr_zero(from_right));
    const auto after = static_cast<std::uint32_t>(std::countr_zero(behind));
    begins = ahead | bit | behind;
    const std::uint32_t merged = symbols[left] = ranks_.result(first >> kPlaceBits);
    const std::uint32_t rank_before = ranks_.find(symbols[before], merged);
    const std::uint32_t rank_after = ranks_.find(merged, symbols[after]);
    // A pair with a border is none, whatever was found.
    order[right] = kNone;
    order[before] = (rank_before << kPlaceBits | before) | (0u - (before == 0));
    order[left] = (rank_after << kPlaceBits | left) | (0u - (behind == last));
  }
  for (begins = (begins ^ last) & ~std::uint64_t{1}; begins != 0; begins &= begins - 1) {
    ids_.push_back(ranks_.id_of(symbols[static_cast<std::size_t>(std::countr_zero(begins))]));
  }
}

template <class Id>
void MergeLoop<Id>::merge_long(std::string_view pretoken) {
  const std::uint64_t end = pretoken.size();
  nodes_.resize(end);
  heap_.clear();
  const auto later = [](const Candidate& a, const Candidate& b) {
    return a.rank != b.rank ? a.rank > b.rank : a.left > b.left;
  };
  for (std::uint64_t i = 0; i < end; ++i) {
    nodes_[i] = {ranks_.symbol_of_byte(static_cast<unsigned char>(pretoken[i])), i > 0 ? i - 1 : kNowhere,
                 i + 1};
  }
  for (std::uint64_t i = 0; i + 1 < end; ++i) {
    const std::uint32_t rank = ranks_.find(nodes_[i].symbol, nodes_[i + 1].symbol);
    if (rank != kNone) heap_.push_back({rank, i, i + 1});
  }
  std::ranges::make_heap(heap_, later);
  const auto push = [&](std::uint64_t left, std::uint64_t right) {
    const std::uint32_t rank = ranks_.find(nodes_[left].symbol, nodes_[right].symbol);
    if (rank == kNone) return;
    heap_.push_back({rank, left, right});
    std::ranges::push_heap(heap_, later);
  };
  while (!heap_.empty()) {
    std::ranges::pop_heap(heap_, later);
    const Candidate c = heap_.back();
    heap_.pop_back();
    Node& left = nodes_[c.left];
    Node& right = nodes_[c.right];
    if (left.symbol == kGone || left.next != c.right || ranks_.find(left.symbol, right.symbol) != c.rank)
      continue;
    left.symbol = ranks_.result(c.rank);
    left.next = right.next;
    right.symbol = kGone;
    if (left.next < end) nodes_[left.next].previous = c.left;
    if (left.previous != kNowhere) push(left.previous, c.left);
    if (left.next < end) push(c.left, left.next);
  }
  for (std::uint64_t i = 0; i < end; i = nodes_[i].next) ids_.push_back(ranks_.id_of(nodes_[i].symbol));
}

template class MergeLoop<std::uint16_t>;
template class MergeLoop<std::uint32_t>;

}  // namespace tokmill
