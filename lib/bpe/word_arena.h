// All different words of a corpus in one flat array, as the trainer changes them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "io/large_array.h"

namespace tokmill {

/// Hands over every (pretoken, count) of a corpus; called more than once, always in the same order.
using WordSource = std::function<void(const std::function<void(std::string_view, std::uint64_t)>&)>;

/// The trainer's own numbering of symbols: the bytes, the border of a word, then the merges.
inline constexpr std::uint32_t kBorder = 256;
inline constexpr std::uint32_t kFirstMerge = 257;

/// How many slots the words of each count take, the borders behind them included.
struct WordLayout {
  static constexpr std::uint64_t kSmall = 4096;

  std::map<std::uint64_t, std::uint64_t, std::greater<>> large;  // by count, descending
  std::vector<std::uint64_t> small = std::vector<std::uint64_t>(kSmall);
  std::uint64_t slots = 1;  // of all together, with the border before the first

  static WordLayout of(const WordSource& words) {
    WordLayout layout;
    words([&](std::string_view word, std::uint64_t count) {
      layout[count] += word.size() + 1;
      layout.slots += word.size() + 1;
    });
    return layout;
  }
  std::uint64_t& operator[](std::uint64_t count) { return count < kSmall ? small[count] : large[count]; }
};

/// One slot for each byte of each word, with a border before, between and after the words. A symbol over the
/// slots [p, p + length) stands in its first and its last slot, so that the neighbours of an occurrence at p
/// are slots[p - 1] and slots[p + length], and a position says all that is needed of an occurrence. Slots
/// between are kInner, or stale symbols would be taken for live ones.
///
/// Words are ordered by their count, descending: the count is a step function of the position, and whoever
/// walks positions in ascending order finds it with a moving pointer.
template <class Symbol, class Position>
struct WordArena {
  static constexpr Symbol kInner = static_cast<Symbol>(~Symbol{0});

  struct Run {
    Position end;
    std::uint64_t count;  // of every word that lies before `end`, from the run before on
  };

  LargeArray<Symbol> slots;
  Position size = 0;
  std::vector<Run> runs;

  /// `directory`: where the slots lie in a file; empty: in memory.
  void load(const WordSource& words, WordLayout layout, const std::string& directory = {}) {
    std::uint64_t at = 1;
    const auto place = [&](std::uint64_t count, std::uint64_t& cursor) {  // from now on: the next free slot
      const std::uint64_t needed = cursor;
      cursor = at;
      at += needed;
      if (needed > 0) runs.push_back({static_cast<Position>(at), count});
    };
    for (auto& [count, cursor] : layout.large) place(count, cursor);
    for (std::uint64_t count = WordLayout::kSmall; count-- > 0;) place(count, layout.small[count]);
    size = static_cast<Position>(at);
    slots = directory.empty() ? LargeArray<Symbol>(at) : LargeArray<Symbol>::in_file(at, directory);
    slots[0] = kBorder;
    words([&](std::string_view word, std::uint64_t count) {
      std::uint64_t& cursor = layout[count];
      Symbol* slot = slots.data() + cursor;
      for (const char byte : word) *slot++ = static_cast<unsigned char>(byte);
      *slot = kBorder;
      cursor += word.size() + 1;
    });
  }
  void load(const WordSource& words) { load(words, WordLayout::of(words)); }

  /// Makes every symbol one slot long; `length_of` gives their present lengths.
  template <class LengthOf>
  void compact(LengthOf length_of) {
    Position from = 0, to = 0;
    for (Run& run : runs) {
      while (from < run.end) {
        const Symbol symbol = slots[from];
        slots[to++] = symbol;
        from += static_cast<Position>(length_of(symbol));
      }
      run.end = to;
    }
    size = to;
  }

  /// Makes of each word, loaded and not yet changed, what `symbols_of` makes of its bytes: a range of
  /// symbols, not more than there are bytes, each one slot long.
  template <class SymbolsOf>
  void segment(SymbolsOf symbols_of) {
    std::string word;
    Position from = 1, to = 1;
    for (Run& run : runs) {
      while (from < run.end) {
        word.clear();
        for (; slots[from] != kBorder; ++from) word.push_back(static_cast<char>(slots[from]));
        ++from;
        if (!word.empty()) {
          for (const Symbol symbol : symbols_of(word)) slots[to++] = symbol;
        }
        slots[to++] = kBorder;
      }
      run.end = to;
    }
    size = to;
  }

  /// The count of the word at ascending positions.
  class CountAt {
   public:
    explicit CountAt(const WordArena& arena)
        : run_(arena.runs.data()), last_(arena.runs.data() + arena.runs.size() - 1) {}
    std::uint64_t operator()(Position position) {
      if (position >= run_->end) [[unlikely]]
        advance(position);
      return run_->count;
    }

   private:
    void advance(Position position) {  // by steps that double, then by halving
      std::ptrdiff_t step = 1;
      while (step < last_ - run_ && position >= run_[step].end) run_ += step, step *= 2;
      run_ = std::upper_bound(run_, std::min(run_ + step, last_), position,
                              [](Position p, const Run& run) { return p < run.end; });
    }
    const Run* run_;
    const Run* last_;
  };
};

}  // namespace tokmill
