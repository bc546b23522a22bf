// Turns one pretoken into ids by merging.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bpe/merge_ranks.h"

namespace tokmill {

/// A byte of the text is not in a foreign vocabulary. The pipeline adds the path and makes an Error of it.
struct UnspellableByte : std::runtime_error {
  explicit UnspellableByte(const char* where);
  const char* place;  // in the text
};

/// The pair with the lowest rank is merged first, the leftmost on ties, until none applies. Time: the length
/// times its logarithm. `Id` as for MergeRanks.
template <class Id>
class MergeLoop {
 public:
  explicit MergeLoop(const TokenizerModel& model);

  /// The ids of a pretoken; valid until the next call. Throws UnspellableByte.
  std::span<const Id> encode(std::string_view pretoken);

 private:
  struct Candidate {
    std::uint32_t rank;
    std::uint64_t left, right;  // places of the two symbols
  };
  struct Node {
    std::uint32_t symbol;
    std::uint64_t previous, next;  // places; the text's end is its length
  };
  template <unsigned Places>
  void merge_short(std::string_view pretoken);
  void merge_long(std::string_view pretoken);

  MergeRanks<Id> ranks_;
  boost::unordered_flat_map<std::string, std::uint32_t> whole_;  // filled for ignore_merges only
  bool spells_all_bytes_;
  std::vector<Id> ids_;
  std::vector<Node> nodes_;
  std::vector<Candidate> heap_;
};

extern template class MergeLoop<std::uint16_t>;
extern template class MergeLoop<std::uint32_t>;

}  // namespace tokmill
