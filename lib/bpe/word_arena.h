// All different words of a corpus in one flat array, as the trainer changes them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bpe/parallel.h"
#include "io/large_array.h"

namespace tokmill {

/// Every (pretoken, count) of a corpus, in parts that can be read at the same time. Each may be read more
/// than once, and comes in the same order always.
struct WordSource {
  using Take = std::function<void(std::string_view, std::uint64_t)>;

  std::size_t parts = 0;
  std::function<void(std::size_t part, const Take&)> read;
};

/// The trainer's own numbering of symbols: the bytes, the border of a word, then the merges.
inline constexpr std::uint32_t kBorder = 256;
inline constexpr std::uint32_t kFirstMerge = 257;

/// How many slots the words of each count take, the borders behind them included: for each of a few groups of
/// a source's parts, which threads read side by side.
struct WordLayout {
  static constexpr std::uint64_t kSmall = 4096;

  struct Group {
    std::size_t first_part, last_part;  // without the last
    std::map<std::uint64_t, std::uint64_t> large;
    std::vector<std::uint64_t> small = std::vector<std::uint64_t>(kSmall);

    std::uint64_t& operator[](std::uint64_t count) { return count < kSmall ? small[count] : large[count]; }
  };
  std::vector<Group> groups;
  std::uint64_t slots = 1;  // of all together, with the border before the first

  static WordLayout of(const WordSource& words, std::size_t threads = 1) {
    const std::size_t number = std::clamp<std::size_t>(threads, 1, std::max<std::size_t>(words.parts, 1));
    WordLayout layout;
    for (std::size_t i = 0; i < number; ++i) {
      layout.groups.push_back({i * words.parts / number, (i + 1) * words.parts / number, {}});
    }
    layout.for_each_word(words, [](Group& group, std::string_view word, std::uint64_t count) {
      group[count] += word.size() + 1;
    });
    for (const Group& group : layout.groups) {
      for (const auto& [count, needed] : group.large) layout.slots += needed;
      for (const std::uint64_t needed : group.small) layout.slots += needed;
    }
    return layout;
  }
  /// Calls `visit(group, word, count)` for all words, group by group or side by side.
  template <class Visit>
  void for_each_word(const WordSource& words, Visit visit) {
    in_parallel(groups.size(), [&](std::size_t i) {
      for (std::size_t part = groups[i].first_part; part < groups[i].last_part; ++part) {
        words.read(part, [&](std::string_view word, std::uint64_t count) { visit(groups[i], word, count); });
      }
    });
  }
  /// Calls `visit(count, slots)` for each group's slots of each count: the highest count first, the groups in
  /// order.
  template <class Visit>
  void for_each_run(Visit visit) {
    std::set<std::uint64_t, std::greater<>> large;
    for (const Group& group : groups) {
      for (const auto& [count, needed] : group.large) large.insert(count);
    }
    const auto visit_groups = [&](std::uint64_t count) {
      for (Group& group : groups) visit(count, group[count]);
    };
    for (const std::uint64_t count : large) visit_groups(count);
    for (std::uint64_t count = kSmall; count-- > 0;) visit_groups(count);
  }
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
    layout.for_each_run([&](std::uint64_t count, std::uint64_t& cursor) {  // from now on: the next free slot
      const std::uint64_t needed = cursor;
      cursor = at;
      at += needed;
      if (needed == 0) return;
      if (runs.empty() || runs.back().count != count) runs.push_back({0, count});
      runs.back().end = static_cast<Position>(at);
    });
    size = static_cast<Position>(at);
    slots = directory.empty() ? LargeArray<Symbol>(at) : LargeArray<Symbol>::in_file(at, directory);
    slots[0] = kBorder;
    layout.for_each_word(words, [&](WordLayout::Group& group, std::string_view word, std::uint64_t count) {
      std::uint64_t& cursor = group[count];
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
