// Learns the merges of a byte-level BPE tokenizer from a count table.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "bpe/symbol_table.h"
#include "bpe/word_arena.h"
#include "format/known_pretokens.h"

namespace tokmill {

struct TrainerResult {
  /// Numbered as the result counts them: 0 to 255 are the bytes, 256 + k the k-th merge.
  struct Merge {
    std::uint32_t left, right;
    bool operator==(const Merge&) const = default;
  };
  /// Bytes that each structure held at most.
  struct Memory {
    std::uint64_t words = 0;      // the arena
    std::uint64_t positions = 0;  // the lists of positions
    std::uint64_t pairs = 0;      // the records of pairs
    std::uint64_t queue = 0;
  };
  std::vector<Merge> merges;
  /// The `frequent_words` words of the highest counts, as symbols, the most frequent first.
  KnownPretokens frequent;
  std::uint64_t windows = 0;  // passes over all words, the first one included
  Memory memory;

  /// The bytes of each symbol: 256 bytes, then the merges in order.
  std::vector<std::string> symbols() const;
};

struct TrainerOptions {
  std::uint64_t merges = 0;         // how many at most
  std::uint64_t min_frequency = 1;  // a pair needs this count to be merged
  /// Pairs whose count is lower at first are left out until nothing else remains; 0: chosen from the corpus.
  /// The result does not depend on it.
  std::uint64_t threshold = 0;
  TieBreak tie_break = TieBreak::kBytes;
  std::size_t frequent_words = 0;  // how many to return with their symbols
  /// Bytes that the trainer may take. The less it has, the more windows it makes; the result does not depend
  /// on it.
  std::uint64_t memory = UINT64_MAX;
  /// Of it, the least for pairs and positions; tests shrink it.
  std::uint64_t least_index = 16 << 20;
  /// Where the words lie in a file if they would take more than half of the memory; those pages do not count.
  std::string directory = "/tmp";
  /// How many threads lay out the words and make the first index, which pays from some 50,000 words on; for
  /// the sake of memory no more than four do. The merging has one. The result does not depend on it.
  std::size_t threads = 1;
  /// What a training on the same words with the same `tie_break` has learnt before: the first merges of the
  /// result, from which this one goes on.
  std::vector<TrainerResult::Merge> resume = {};
};

/// What a trainer is at.
enum class TrainerPhase {
  kWords,   // lays out the words, and repeats what `resume` has learnt
  kIndex,   // makes a window
  kMerges,  // merges
  kEnd,     // has learnt all, and still holds what it learnt from
};

/// Called while it trains; each may be empty.
struct TrainerEvents {
  std::function<void(TrainerPhase)> phase;  // it begins; a window interrupts the merging
  /// Now and then, with the merges made so far.
  std::function<void(std::span<const TrainerResult::Merge>)> progress;
};

/// Each step merges the pair with the greatest count, of several the one that `tie_break` prefers. Throws
/// Error where the memory is too little, and says how much would do.
TrainerResult train(const WordSource& words, const TrainerOptions& options, const TrainerEvents& events = {});

}  // namespace tokmill
