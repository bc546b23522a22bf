// Most pretokens that come here are a few bytes long: looking through all their pairs at each step is
// quickest. Longer ones, which would take quadratic time so, are a linked list of symbols with a heap of the
// pairs in it; a pair whose symbols have changed since it was queued is dropped when it comes up.
#include "bpe/merge_loop.h"

#include <algorithm>

namespace tokmill {

namespace {
constexpr std::size_t kShort = 48;  // bytes
constexpr std::uint64_t kNowhere = UINT64_MAX;
constexpr std::uint32_t kGone = UINT32_MAX;  // the id of a symbol merged into its left neighbour
}  // namespace

UnspellableByte::UnspellableByte(const char* where)
    : std::runtime_error("a byte that the vocabulary cannot spell"), place(where) {}

MergeLoop::MergeLoop(const TokenizerModel& model) : ranks_(model) {
  if (!model.ignore_merges) return;
  for (std::uint32_t id = 0; id < model.tokens.size(); ++id) {
    if (!model.tokens[id].empty()) whole_.emplace(model.tokens[id], id);
  }
  for (const auto& special : model.specials) whole_.erase(special.text);
}

const std::vector<std::uint32_t>& MergeLoop::encode(std::string_view pretoken) {
  ids_.clear();
  if (!whole_.empty()) {
    if (const auto found = whole_.find(std::string(pretoken)); found != whole_.end()) {
      ids_.push_back(found->second);
      return ids_;
    }
  }
  for (const char& byte : pretoken) {
    ids_.push_back(ranks_.id_of_byte(static_cast<unsigned char>(byte)));
    if (ids_.back() == MergeRanks::kNone) throw UnspellableByte(&byte);
  }
  pretoken.size() <= kShort ? merge_short() : merge_long();
  return ids_;
}

void MergeLoop::merge_short() {
  pair_ranks_.resize(ids_.size());
  for (std::size_t i = 0; i + 1 < ids_.size(); ++i) pair_ranks_[i] = ranks_.find(ids_[i], ids_[i + 1]).rank;
  while (ids_.size() > 1) {
    const auto last = pair_ranks_.begin() + static_cast<std::ptrdiff_t>(ids_.size() - 1);
    const auto lowest = std::min_element(pair_ranks_.begin(), last);
    if (*lowest == MergeRanks::kNone) return;
    const std::ptrdiff_t i = lowest - pair_ranks_.begin();
    ids_[i] = ranks_.find(ids_[i], ids_[i + 1]).result;
    ids_.erase(ids_.begin() + i + 1);
    pair_ranks_.erase(pair_ranks_.begin() + i);
    if (i > 0) pair_ranks_[i - 1] = ranks_.find(ids_[i - 1], ids_[i]).rank;
    if (i + 1 < std::ssize(ids_)) pair_ranks_[i] = ranks_.find(ids_[i], ids_[i + 1]).rank;
  }
}

void MergeLoop::merge_long() {
  const std::uint64_t end = ids_.size();
  nodes_.resize(end);
  heap_.clear();
  const auto later = [](const Candidate& a, const Candidate& b) {
    return a.rank != b.rank ? a.rank > b.rank : a.left > b.left;
  };
  const auto candidate = [&](std::uint64_t left, std::uint64_t right) {
    const auto [rank, result] = ranks_.find(nodes_[left].id, nodes_[right].id);
    return Candidate{rank, result, left, right};
  };
  for (std::uint64_t i = 0; i < end; ++i) nodes_[i] = {ids_[i], i > 0 ? i - 1 : kNowhere, i + 1};
  for (std::uint64_t i = 0; i + 1 < end; ++i) {
    if (const Candidate c = candidate(i, i + 1); c.rank != MergeRanks::kNone) heap_.push_back(c);
  }
  std::ranges::make_heap(heap_, later);
  const auto push = [&](std::uint64_t left, std::uint64_t right) {
    const Candidate c = candidate(left, right);
    if (c.rank == MergeRanks::kNone) return;
    heap_.push_back(c);
    std::ranges::push_heap(heap_, later);
  };
  while (!heap_.empty()) {
    std::ranges::pop_heap(heap_, later);
    const Candidate c = heap_.back();
    heap_.pop_back();
    Node& left = nodes_[c.left];
    Node& right = nodes_[c.right];
    if (left.id == kGone || left.next != c.right || ranks_.find(left.id, right.id).rank != c.rank) continue;
    left.id = c.result;
    left.next = right.next;
    right.id = kGone;
    if (left.next < end) nodes_[left.next].previous = c.left;
    if (left.previous != kNowhere) push(left.previous, c.left);
    if (left.next < end) push(c.left, left.next);
  }
  ids_.clear();
  for (std::uint64_t i = 0; i < end; i = nodes_[i].next) ids_.push_back(nodes_[i].id);
}

}  // namespace tokmill
