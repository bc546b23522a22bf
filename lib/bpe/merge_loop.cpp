// Pretokens of up to 64 bytes keep a number for each place: the rank of the pair that begins there, and the
// place itself in the low bits. The least of these numbers says which pair is next, the leftmost of equals,
// and it is found by comparing a fixed number of places, which the compiler does in vectors. Symbols stay at
// the place of their first byte, linked to their neighbours, so nothing moves.
//
// Longer ones would take quadratic time so. They are a linked list of symbols with a heap of the pairs in it;
// a pair whose symbols have changed since it was queued is dropped when it comes up.
#include "bpe/merge_loop.h"

#include <algorithm>
#include <bit>

namespace tokmill {

namespace {
constexpr std::uint64_t kNowhere = UINT64_MAX;
constexpr std::uint32_t kGone = UINT32_MAX;  // the id of a symbol merged into its left neighbour
constexpr std::uint32_t kNone = UINT32_MAX;
}  // namespace

UnspellableByte::UnspellableByte(const char* where)
    : std::runtime_error("a byte that the vocabulary cannot spell"), place(where) {}

template <class Id>
MergeLoop<Id>::MergeLoop(const TokenizerModel& model) : ranks_(model), spells_all_bytes_(true) {
  for (int byte = 0; byte < 256; ++byte) {
    spells_all_bytes_ = spells_all_bytes_ && ranks_.id_of_byte(static_cast<unsigned char>(byte)) != kNone;
  }
  if (!model.ignore_merges) return;
  for (std::uint32_t id = 0; id < model.tokens.size(); ++id) {
    if (!model.tokens[id].empty()) whole_.emplace(model.tokens[id], id);
  }
  for (const auto& special : model.specials) whole_.erase(special.text);
}

template <class Id>
const std::vector<std::uint32_t>& MergeLoop<Id>::encode(std::string_view pretoken) {
  ids_.clear();
  if (!whole_.empty()) {
    if (const auto found = whole_.find(std::string(pretoken)); found != whole_.end()) {
      ids_.push_back(found->second);
      return ids_;
    }
  }
  if (!spells_all_bytes_) {
    for (const char& byte : pretoken) {
      if (ranks_.id_of_byte(static_cast<unsigned char>(byte)) == kNone) throw UnspellableByte(&byte);
    }
  }
  if (pretoken.size() <= 16) {
    merge_short<16>(pretoken);
  } else if (pretoken.size() <= 64) {
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
  const auto size = static_cast<std::uint32_t>(pretoken.size());
  std::array<std::uint32_t, Places> order;  // (rank, place) of the pair that begins at a place, or kNone
  std::array<std::uint32_t, Places> ids;
  std::array<std::uint8_t, Places + 1> next, previous;
  order.fill(kNone);
  const auto numbered = [](std::uint32_t rank, std::uint32_t place) {
    return rank == kNone ? kNone : rank << kPlaceBits | place;
  };
  const auto byte = [&](std::uint32_t place) { return static_cast<unsigned char>(pretoken[place]); };
  for (std::uint32_t i = 0; i < size; ++i) {
    ids[i] = ranks_.id_of_byte(byte(i));
    if (i + 1 < size) order[i] = numbered(ranks_.find_bytes(byte(i), byte(i + 1)), i);
    next[i] = static_cast<std::uint8_t>(i + 1);
    previous[i + 1] = static_cast<std::uint8_t>(i);
  }
  for (;;) {
    std::uint32_t least = order[0];
    for (std::uint32_t i = 1; i + 1 < size; ++i) {
      least = std::min(least, order[i]);
      asm("" : "+r"(least));  // not in vectors: they would wait for the single numbers stored just before
    }
    if (least == kNone) break;
    const std::uint32_t left = least & (Places - 1), right = next[left], after = next[right];
    ids[left] = ranks_.result(least >> kPlaceBits);
    next[left] = static_cast<std::uint8_t>(after);
    previous[after] = static_cast<std::uint8_t>(left);
    order[right] = kNone;
    order[left] = after < size ? numbered(ranks_.find(ids[left], ids[after]), left) : kNone;
    if (left > 0) {
      const std::uint32_t before = previous[left];
      order[before] = numbered(ranks_.find(ids[before], ids[left]), before);
    }
  }
  for (std::uint32_t i = 0; i < size; i = next[i]) ids_.push_back(ids[i]);
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
    nodes_[i] = {ranks_.id_of_byte(static_cast<unsigned char>(pretoken[i])), i > 0 ? i - 1 : kNowhere, i + 1};
  }
  for (std::uint64_t i = 0; i + 1 < end; ++i) {
    const std::uint32_t rank = ranks_.find(nodes_[i].id, nodes_[i + 1].id);
    if (rank != kNone) heap_.push_back({rank, i, i + 1});
  }
  std::ranges::make_heap(heap_, later);
  const auto push = [&](std::uint64_t left, std::uint64_t right) {
    const std::uint32_t rank = ranks_.find(nodes_[left].id, nodes_[right].id);
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
    if (left.id == kGone || left.next != c.right || ranks_.find(left.id, right.id) != c.rank) continue;
    left.id = ranks_.result(c.rank);
    left.next = right.next;
    right.id = kGone;
    if (left.next < end) nodes_[left.next].previous = c.left;
    if (left.previous != kNowhere) push(left.previous, c.left);
    if (left.next < end) push(c.left, left.next);
  }
  for (std::uint64_t i = 0; i < end; i = nodes_[i].next) ids_.push_back(nodes_[i].id);
}

template class MergeLoop<std::uint16_t>;
template class MergeLoop<std::uint32_t>;

}  // namespace tokmill
