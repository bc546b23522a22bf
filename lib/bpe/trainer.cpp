// Byte pair encoding (Sennrich et al. 2016, "Neural machine translation of rare words with subword units") on
// an index pair -> positions.
//
// Two facts make the index simple. Once a pair has been created, its count never rises; and all its
// occurrences are written in the one step that creates it. So a queue that looks at a pair only when it comes
// to the front is exact, and the lists of positions are written once. A listed position may have been
// overtaken by other merges: one look at the arena tells.
//
// Because counts never rise, a pair whose count is below a threshold when it is created needs neither a
// record nor a list as long as other pairs have more. When the queue has nothing left above the threshold,
// one pass over all words (a window) finds the pairs above a lower one. Most pairs are rare, so this saves
// most of the memory and the time.
//
// A merge of (a, b) makes two passes over its list. The first rewrites the arena, sums counts by neighbour in
// arrays indexed by symbol, and logs (left neighbour, right neighbour, position). Then the neighbours' old
// pairs lose what they lost, and each new pair that reaches the threshold gets a list of the exact length,
// which the second pass fills from the log.
//
// No two merges give the same bytes. What becomes one token has had no merge across its ends, so it went
// through the same steps wherever it stands, and one merge made it everywhere. Hugging Face's trainer would
// give a second such merge the id of the first; it never comes to that.
//
// The merges made so far are all that a training needs to go on. A merge brings forth pairs with its own
// symbol only, so never one that was merged before it: after n merges a word is what encoding makes of it
// with these, the first one first, and one window gives the index.
//
// Time: proportional to the listed positions, plus a pass for each window. Memory: a slot for each byte of
// the different words, a position for each listed occurrence. Where that is more than the trainer may take,
// the words lie in a file; a window's threshold is raised until what is above it fits; a merge whose new
// pairs find no room is made without indexing them, and a window follows; and a pair whose list alone would
// be too long is merged by a pass over all words. All of this decides when something is counted, never what
// wins.
#include "bpe/trainer.h"

#include <ranges>

#include "bpe/merge_loop.h"
#include "bpe/pair_index.h"
#include "bpe/pair_queue.h"
#include "bpe/parallel.h"
#include "io/error.h"
#include "io/memory.h"

namespace tokmill {

namespace {

constexpr std::uint64_t kPrefetch = 16;    // positions ahead in a list
constexpr std::size_t kRecordsAhead = 16;  // neighbours ahead whose records are fetched
constexpr std::size_t kMostThreads = 4;    // each has some 2.5 MB: sums of all pairs of bytes, a block
constexpr std::uint64_t kWindowStep = 4;   // the threshold of a window, as a share of the one before
constexpr int kMostSketchBits = 21;
constexpr std::uint64_t kPairsByMerge = 4;  // that reach the likely threshold: 2 to 5 in text and code
constexpr std::uint64_t kMostPairsAtFirst = 1 << 20;
constexpr std::size_t kLine = 64;                // bytes of the cache
constexpr std::uint64_t kUnlisted = UINT64_MAX;  // the positions of a pair whose list would be too long

std::size_t threads_of(const TrainerOptions& options) {
  return std::clamp<std::size_t>(options.threads, 1, kMostThreads);
}

// Narrow types for what is common, wide ones for vocabularies from 65,279 merges on or 4 Gi bytes of
// different words.
template <class SymbolType, class PositionType, class KeyType>
struct Trainer {
  using Symbol = SymbolType;
  using Position = PositionType;
  using Key = KeyType;  // of a pair: (left, right) + 1, so that none is 0
  using Arena = WordArena<Symbol, Position>;
  static constexpr int kSymbolBits = 8 * sizeof(Symbol);

  // What the occurrences of a merge have on one side, summed by neighbour.
  struct Side {
    std::uint64_t count = 0;   // weighted
    std::uint64_t number = 0;  // of occurrences; then 1 where the new pair has a list, else 0
    std::uint64_t cursor = 0;  // where the next position of the new pair goes
  };
  struct Logged {
    Symbol left, right;
    Position position;
  };

  struct TieLess {
    const Trainer* trainer;
    bool operator()(Key a, Key b) const { return trainer->loses_tie(a, b); }
  };

  Trainer(const TrainerOptions& options, const TrainerEvents& events)
      : options_(options), events_(events), symbols_(options.tie_break), queue_(TieLess{this}) {
    symbols_.add_empty();  // the border
    lengths_.assign(kFirstMerge, 1);
    left_.resize(kFirstMerge);
    right_.resize(kFirstMerge);
  }

  TrainerResult run(const WordSource& words, WordLayout layout) {
    begin(TrainerPhase::kWords);
    const std::uint64_t words_bytes = layout.slots * sizeof(Symbol);
    const bool in_file = words_bytes > options_.memory / 2;
    set_limits(in_file ? 0 : words_bytes);
    arena_.load(words, std::move(layout), in_file ? options_.directory : std::string());
    if (arena_.runs.empty()) return {};
    result_.memory.words = std::uint64_t{arena_.size} * sizeof(Symbol);
    const std::uint64_t least = std::max<std::uint64_t>(1, options_.min_frequency);
    threshold_ = std::max(least, options_.threshold > 0 ? options_.threshold : likely_threshold());
    if (options_.resume.empty()) {
      begin(TrainerPhase::kIndex);
      index_bytes();
    } else {
      repeat(options_.resume);
      begin(TrainerPhase::kIndex);
      index_window();
    }
    begin(TrainerPhase::kMerges);
    while (result_.merges.size() < options_.merges) {
      if (crowded_) {
        make_window(threshold_);
        continue;
      }
      typename Queue::Entry top;
      const bool found = queue_.pop(
          threshold_, [&](Key key) { return pairs_.find(key)->count; },
          [&](Key key) { drop(*pairs_.find(key)); }, top);
      if (found) {
        merge(top.key);
        if (events_.progress && result_.merges.size() % 64 == 0) events_.progress(result_.merges);
      } else if (threshold_ > least) {
        make_window(std::max(least, threshold_ / kWindowStep));
      } else {
        break;
      }
    }
    note_memory();
    note_frequent_words();
    begin(TrainerPhase::kEnd);
    return std::move(result_);
  }

 private:
  using Queue = PairQueue<Key, TieLess>;
  using Record = PairRecord<Key>;

  static Key key_of(Symbol a, Symbol b) { return static_cast<Key>(Key{a} << kSymbolBits | b) + 1; }
  static Symbol left_of(Key key) { return static_cast<Symbol>((key - 1) >> kSymbolBits); }
  static Symbol right_of(Key key) { return static_cast<Symbol>(key - 1); }
  // Symbols as the result numbers them, without the border.
  static std::uint32_t shown(Symbol s) { return static_cast<std::uint32_t>(s < kBorder ? s : s - 1); }
  static Symbol hidden(std::uint32_t s) { return static_cast<Symbol>(s < kBorder ? s : s + 1); }

  void begin(TrainerPhase phase) const {
    if (events_.phase) events_.phase(phase);
  }

  // Adds a merge to the result.
  Symbol learn(Symbol a, Symbol b) {
    const auto merged = static_cast<Symbol>(symbols_.size());
    result_.merges.push_back({shown(a), shown(b)});
    symbols_.add(a, b);
    lengths_.push_back(static_cast<Position>(lengths_[a] + lengths_[b]));
    left_.emplace_back();
    right_.emplace_back();
    return merged;
  }

  bool loses_tie(Key a, Key b) const {
    const int left = symbols_.compare(left_of(a), left_of(b));
    return left != 0 ? left < 0 : symbols_.compare(right_of(a), right_of(b)) < 0;
  }

  // High enough that most pairs stay out, low enough that one window does for most corpora: a pair merged
  // last at 32,000 tokens has about 1e-7 of a corpus's bytes and pretokens.
  std::uint64_t likely_threshold() const {
    double weighted = 0;
    Position begin = 1;
    for (const auto& run : arena_.runs) {
      weighted += static_cast<double>(run.end - begin) * static_cast<double>(run.count);
      begin = run.end;
    }
    return static_cast<std::uint64_t>(weighted * 1e-7 * 32000 / static_cast<double>(options_.merges + 1));
  }

  // What is left beside the words and what grows with the vocabulary goes to the lists of positions, the log
  // of one merge, and the records of pairs; a table of these has the smaller one beside it while it grows.
  void set_limits(std::uint64_t words_bytes) {
    if (options_.memory == UINT64_MAX) return;
    constexpr std::uint64_t kBySymbol =
        2 * sizeof(Side) + 2 * sizeof(std::uint64_t) + 3 * sizeof(Position) + 32;
    const std::uint64_t others = words_bytes + 2 * kBySymbol * (options_.merges + kFirstMerge) +
                                 options_.frequent_words * 4 * sizeof(std::uint64_t);
    if (options_.memory < others + options_.least_index) {
      throw Error("training needs --memory of at least " + spell_size(others + 2 * options_.least_index) +
                  " here");
    }
    const std::uint64_t index = options_.memory - others;
    most_positions_ = index / 8 * 5 / sizeof(Position) / 5 * 4;  // the rest is for knowing what is free
    longest_list_ = std::min(index / 8 / sizeof(Logged), most_positions_ / 2);
    most_pairs_ = PairTable<Key>::records_in(index / 4);
    while (sketch_bits_ > 12 && (sizeof(std::uint64_t) << sketch_bits_) > index / 2) --sketch_bits_;
  }

  void make_window(std::uint64_t threshold) {
    begin(TrainerPhase::kIndex);
    threshold_ = threshold;
    crowded_ = false;
    clear_index();
    compact();
    index_window();
    begin(TrainerPhase::kMerges);
  }

  // Raises the threshold of a window until what is above it fits into the memory. `for_each(visit)` calls
  // visit(count, number of occurrences) for all pairs above it.
  template <class ForEach>
  void raise_threshold(ForEach for_each) {
    std::uint64_t total = 0, pairs = 0;
    bool fits = true;
    for_each([&](std::uint64_t, std::uint64_t number) {
      total += number;
      ++pairs;
      fits = fits && number <= longest_list_;
    });
    // New pairs are to have room too.
    const std::uint64_t positions = most_positions_ / 4 * 3, records = most_pairs_ / 4 * 3;
    if (fits && total <= positions && pairs <= records) return;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> above;
    above.reserve(pairs);
    for_each([&](std::uint64_t count, std::uint64_t number) { above.emplace_back(count, number); });
    std::ranges::sort(above, std::greater());
    total = 0;
    for (std::size_t i = 0; i < above.size(); ++i) {
      // What comes after a pair without a list has to be indexed again anyway.
      fits = (total += above[i].second) <= positions && i < records &&
             (i == 0 || above[i - 1].second <= longest_list_);
      if (!fits && above[i].first < above[0].first) {
        threshold_ = above[i].first + 1;
        return;
      }
    }
  }

  // Learns again what was learnt before, and makes of all words at once what it made of them.
  void repeat(std::span<const TrainerResult::Merge> merges) {
    const std::uint64_t most = std::min<std::uint64_t>(options_.merges, MergeRanks<Symbol>::kMostMerges - 1);
    TokenizerModel model;
    for (const auto& merge : merges.first(std::min(merges.size(), most))) {
      const std::uint32_t result = shown(learn(hidden(merge.left), hidden(merge.right)));
      model.merges.push_back({merge.left, merge.right, result});
    }
    model.tokens = result_.symbols();
    MergeLoop<Symbol> loop(model);
    arena_.segment([&](std::string_view word) { return loop.encode(word) | std::views::transform(hidden); });
    lengths_.assign(lengths_.size(), 1);
  }

  // Gives a pair above the threshold its record and a list to be filled.
  std::uint64_t create(Key key, std::uint64_t count, std::uint64_t number) {
    Record& record = pairs_.insert(key);
    record.count = count;
    give_list(record, number);
    queue_.push(key, count);
    return record.length > 0 ? record.positions : 0;
  }

  // A list for so many positions, if there is room.
  void give_list(Record& record, std::uint64_t number) {
    const bool listed = number <= longest_list_ && pool_.used() + number <= most_positions_;
    record.length = static_cast<Key>(listed ? number : 0);
    record.positions = listed ? pool_.allocate(number) : kUnlisted;
  }

  void drop(Record& record) {
    pool_.release(record.positions, record.length);
    record.count = record.length = 0;
  }

  // The first index: every symbol is one byte, and arrays indexed by pair count and place all at once. Each
  // thread has a stretch of the arena and sums of its own; its positions in a list come after those of the
  // threads before it.
  void index_bytes() {
    constexpr std::size_t kSide = 257;
    ++result_.windows;
    const std::size_t threads = threads_of(options_);
    std::vector<std::vector<Side>> sums(threads);
    for (auto& own : sums) own.resize(kSide * kSide);
    const Symbol* const slots = arena_.slots.data();
    const auto for_each_stretch = [&](auto visit) {
      in_parallel(threads, [&](std::size_t thread) {
        const std::uint64_t pairs = arena_.size - 1;
        visit(sums[thread].data(), static_cast<Position>(pairs * thread / threads),
              static_cast<Position>(pairs * (thread + 1) / threads));
      });
    };
    for_each_stretch([&](Side* own, Position begin, Position end) {
      typename Arena::CountAt count_at(arena_);
      for (Position p = begin; p < end; ++p) {
        Side& sum = own[slots[p] * kSide + slots[p + 1]];
        sum.count += count_at(p);
        ++sum.number;
      }
    });
    const auto for_each_above = [&](auto visit) {  // with the sums of all threads
      for (std::size_t a = 0; a < 256; ++a) {
        for (std::size_t b = 0; b < 256; ++b) {
          std::uint64_t count = 0, number = 0;
          for (const auto& own : sums) {
            count += own[a * kSide + b].count;
            number += own[a * kSide + b].number;
          }
          if (count >= threshold_) {
            visit(key_of(static_cast<Symbol>(a), static_cast<Symbol>(b)), count, number);
          }
        }
      }
    };
    raise_threshold([&](auto visit) {
      for_each_above([&](Key, std::uint64_t count, std::uint64_t number) { visit(count, number); });
    });
    std::uint64_t above = 0, positions = 0;
    for_each_above([&](Key, std::uint64_t, std::uint64_t number) {
      ++above;
      positions += number;
    });
    const std::uint64_t likely = std::min(kPairsByMerge * options_.merges, kMostPairsAtFirst);
    pairs_.reserve(std::max(above, std::min(likely, most_pairs_)));
    pool_.reserve(std::min(positions + positions / 2, most_positions_));
    for_each_above([&](Key key, std::uint64_t count, std::uint64_t number) {
      std::uint64_t cursor = create(key, count, number);
      for (auto& own : sums) {
        Side& sum = own[left_of(key) * kSide + right_of(key)];
        sum.cursor = cursor;
        if (cursor > 0) cursor += sum.number;
      }
    });
    // What belongs to no list is written too, by each thread to a place of its own.
    const std::uint64_t nowhere = pool_.allocate(threads * kLine);
    for (std::size_t thread = 0; thread < threads; ++thread) {
      for (Side& sum : sums[thread]) {
        sum.number = sum.cursor > 0;
        if (sum.cursor == 0) sum.cursor = nowhere + thread * kLine;
      }
    }
    for_each_stretch([&](Side* own, Position begin, Position end) {
      for (Position p = begin; p < end; ++p) {
        Side& sum = own[slots[p] * kSide + slots[p + 1]];
        *pool_.at(sum.cursor) = p;
        sum.cursor += sum.number;
      }
    });
    pool_.release(nowhere, threads * kLine);
  }

  void note_memory() {
    TrainerResult::Memory& most = result_.memory;
    most.positions = std::max(most.positions, pool_.memory());
    most.pairs = std::max(most.pairs, pairs_.memory());
    most.queue = std::max(most.queue, queue_.most() * sizeof(Key));
  }

  void clear_index() {
    note_memory();
    pairs_.clear();
    pool_.clear();
    queue_ = Queue(TieLess{this});
  }

  void compact() {
    arena_.compact([&](Symbol symbol) { return lengths_[symbol]; });
    lengths_.assign(lengths_.size(), 1);
  }

  // A later index, for a lower threshold, where every symbol is one slot: a sketch of the counts leaves few
  // candidates, which are then counted exactly.
  void index_window() {
    ++result_.windows;
    const auto for_each_pair = [&](auto visit) {
      const Symbol* const slots = arena_.slots.data();
      typename Arena::CountAt count_at(arena_);
      for (Position p = 0; p + 1 < arena_.size; ++p) {
        if (slots[p] != kBorder && slots[p + 1] != kBorder)
          visit(key_of(slots[p], slots[p + 1]), p, count_at(p));
      }
    };
    const auto bucket = [&](Key key) {
      return static_cast<std::size_t>((std::uint64_t{key} * 0x9E3779B97F4A7C15u) >> (64 - sketch_bits_));
    };
    LargeArray<std::uint64_t> sketch(std::size_t{1} << sketch_bits_);
    for_each_pair([&](Key key, Position, std::uint64_t count) { sketch[bucket(key)] += count; });
    const auto count_candidates = [&] {
      pairs_.clear();
      for_each_pair([&](Key key, Position, std::uint64_t count) {
        if (sketch[bucket(key)] < threshold_ || pairs_.used() > most_pairs_) return;
        pairs_.reserve(1);
        Record& record = pairs_.insert(key);
        record.count += count;
        ++record.length;
      });
      return pairs_.used() <= most_pairs_;
    };
    const std::uint64_t wanted = threshold_;
    while (!count_candidates()) threshold_ += threshold_ / 2 + 1;
    std::uint64_t greatest = 0;
    pairs_.for_each([&](const Record& record) { greatest = std::max(greatest, record.count); });
    if (threshold_ > wanted && greatest < threshold_) {
      throw Error("training needs --memory of at least " + spell_size(2 * options_.memory) +
                  " here: too many pairs are equally frequent");
    }
    raise_threshold([&](auto visit) {
      pairs_.for_each([&](const Record& record) {
        if (record.count >= threshold_) visit(record.count, record.length);
      });
    });
    pairs_.for_each([&](Record& record) {
      if (record.count >= threshold_) {
        give_list(record, record.length);
        queue_.push(record.key, record.count);
      } else {
        record.count = 0;
      }
      record.length = 0;
    });
    sketch = LargeArray<std::uint64_t>();  // before the lists are filled
    for_each_pair([&](Key key, Position p, std::uint64_t) {
      Record* const record = pairs_.find(key);
      if (record == nullptr || record->count == 0 || record->positions == kUnlisted) return;
      *pool_.at(record->positions + record->length++) = p;
    });
  }

  void merge(Key key) {
    const Symbol a = left_of(key), b = right_of(key);
    const Symbol merged = learn(a, b);
    const Key next = queue_.peek();
    fetch_record(next);
    {
      Record& record = *pairs_.find(key);
      if (record.positions == kUnlisted) return merge_everywhere(a, b, merged);
      rewrite(pool_.at(record.positions), record.length, a, b, merged);
      drop(record);
    }
    fetch_list(next);
    // Where two occurrences touch, the left one saw the right one's `a` before that was merged too.
    const std::uint64_t touching = left_[merged].count;
    right_[a].count -= touching;
    if (!has_room_for_neighbours()) return forget_neighbours();
    if (touching > 0) lose(key_of(b, a), touching);
    pairs_.reserve(std::min(left_neighbours_.size() + right_neighbours_.size(), most_pairs_ - pairs_.used()));
    settle(
        left_neighbours_, left_, [&](Symbol x) { return key_of(x, a); },
        [&](Symbol x) { return key_of(x, merged); });
    settle(
        right_neighbours_, right_, [&](Symbol y) { return key_of(b, y); },
        [&](Symbol y) { return key_of(merged, y); });
    fetch_slots(next);
    list_positions();
  }

  // What the next merge reads first is fetched while this one is made: its record, then its list, then the
  // slots at the beginning of that. It need not come next; then this was in vain.
  void fetch_record(Key next) const {
    if (next != 0) pairs_.prefetch(next);
  }
  void fetch_list(Key next) {
    const std::span<const Position> list = listed(next);
    for (std::size_t i = 0; i < list.size(); i += kLine / sizeof(Position)) __builtin_prefetch(&list[i]);
  }
  void fetch_slots(Key next) {
    for (const Position p : listed(next)) __builtin_prefetch(&arena_.slots[p]);
  }
  // The beginning of a pair's list.
  std::span<const Position> listed(Key key) {
    if (key == 0) return {};
    const Record& record = *pairs_.find(key);
    if (record.count == 0 || record.positions == kUnlisted) return {};
    return {pool_.at(record.positions), std::min<std::uint64_t>(record.length, kPrefetch)};
  }

  // Without a list: one pass over all words, after which the index is of no use.
  void merge_everywhere(Symbol a, Symbol b, Symbol merged) {
    Symbol* const slots = arena_.slots.data();
    const Position length_a = lengths_[a], length_merged = lengths_[merged];
    for (Position p = 0; p < arena_.size;) {
      const Symbol symbol = slots[p];
      if (symbol == a && slots[p + length_a] == b) {
        slots[p + length_a - 1] = slots[p + length_a] = Arena::kInner;
        slots[p] = slots[p + length_merged - 1] = merged;
        p += length_merged;
      } else {
        p += lengths_[symbol];
      }
    }
    crowded_ = true;
  }

  // Whether the memory has room for what the merge has logged. Most of it is below the threshold, so this is
  // seldom counted.
  bool has_room_for_neighbours() const {
    const std::uint64_t room = most_positions_ - std::min(most_positions_, pool_.used());
    const std::uint64_t records = most_pairs_ - std::min(most_pairs_, pairs_.used());
    if (2 * logged_ <= room && left_neighbours_.size() + right_neighbours_.size() <= records) return true;
    std::uint64_t positions = 0, pairs = 0;
    const auto add = [&](const std::vector<Side>& sides, Symbol neighbour) {
      const Side& side = sides[neighbour];
      if (neighbour == kBorder || side.count < threshold_) return;
      positions += side.number;
      ++pairs;
    };
    for (const Symbol x : left_neighbours_) add(left_, x);
    for (const Symbol y : right_neighbours_) add(right_, y);
    return positions <= room && pairs <= records;
  }

  // Instead of indexing the new pairs; all are found again by the window that is due.
  void forget_neighbours() {
    for (const Symbol x : left_neighbours_) left_[x] = {};
    for (const Symbol y : right_neighbours_) right_[y] = {};
    crowded_ = true;
  }

  // The first pass over the list of (a, b). First what is stale is left out, without a branch that could not
  // be foreseen.
  void rewrite(const Position* list, std::uint64_t length, Symbol a, Symbol b, Symbol merged) {
    if (log_.size() < length) log_ = LargeArray<Logged>(length + length / 2);
    Logged* const log = log_.data();
    Symbol* const slots = arena_.slots.data();
    const Position length_a = lengths_[a], length_merged = lengths_[merged];
    const auto log_where = [&](auto is_there) {
      std::uint64_t logged = 0;
      for (std::uint64_t i = 0; i < length; ++i) {
        __builtin_prefetch(&slots[list[i + kPrefetch]]);  // within the pool's slack
        log[logged].position = list[i];
        logged += is_there(list[i]);
      }
      logged_ = logged;
    };
    if (a != b) {
      log_where([&](Position p) { return (slots[p] == a) & (slots[p + length_a] == b); });
    } else {
      Position end = 0;  // of the occurrence before: in "aaa" the second (a, a) is none
      log_where([&](Position p) {
        if (p < end || slots[p] != a || slots[p + length_a] != a) return false;
        end = p + length_merged;
        return true;
      });
    }
    const std::size_t most = std::min<std::size_t>(logged_, symbols_.size()) + 1;  // one is always written
    left_neighbours_.resize(most);
    right_neighbours_.resize(most);
    std::size_t left_used = 0, right_used = 0;
    typename Arena::CountAt count_at(arena_);
    for (std::uint64_t i = 0; i < logged_; ++i) {
      const Position p = log[i].position;
      const Symbol x = slots[p - 1], y = slots[p + length_merged];
      log[i] = {x, y, p};
      Side& left = left_[x];
      Side& right = right_[y];
      left_neighbours_[left_used] = x;
      right_neighbours_[right_used] = y;
      left_used += left.number++ == 0;
      right_used += right.number++ == 0;
      const std::uint64_t count = count_at(p);
      left.count += count;
      right.count += count;
      slots[p + length_a - 1] = slots[p + length_a] = Arena::kInner;
      slots[p] = slots[p + length_merged - 1] = merged;
    }
    left_neighbours_.resize(left_used);
    right_neighbours_.resize(right_used);
  }

  // An old pair beside the merge loses occurrences. One without a record was below the threshold from the
  // beginning, or is none: the border, and what was merged, may seem to be a neighbour here.
  void lose(Key pair, std::uint64_t count) {
    Record* const record = pairs_.find(pair);
    if (record != nullptr) record->count -= std::min(record->count, count);
  }

  // What the merge does to the pairs on one side of it: the old ones lose, and it is decided which of the new
  // ones get a list; the sides are readied for the second pass.
  template <class OldPair, class NewPair>
  void settle(const std::vector<Symbol>& neighbours, std::vector<Side>& sides, OldPair old_pair,
              NewPair new_pair) {
    const auto fetch = [&](std::size_t i) { pairs_.prefetch(old_pair(neighbours[i])); };
    for (std::size_t i = 0; i < std::min(kRecordsAhead, neighbours.size()); ++i) fetch(i);
    for (std::size_t i = 0; i < neighbours.size(); ++i) {
      if (i + kRecordsAhead < neighbours.size()) fetch(i + kRecordsAhead);
      const Symbol neighbour = neighbours[i];
      Side& side = sides[neighbour];
      lose(old_pair(neighbour), side.count);
      const bool is_frequent = neighbour != kBorder && side.count >= threshold_;
      side.cursor = is_frequent ? create(new_pair(neighbour), side.count, side.number) : 0;
      side.number = side.cursor > 0;
      side.count = 0;
    }
  }

  // The second pass: the positions of the new pairs, in ascending order as they were logged.
  void list_positions() {
    for (std::uint64_t i = 0; i < logged_; ++i) {
      const auto [x, y, p] = log_[i];
      *pool_.at(left_[x].cursor) = static_cast<Position>(p - lengths_[x]);
      left_[x].cursor += left_[x].number;
      *pool_.at(right_[y].cursor) = p;
      right_[y].cursor += right_[y].number;
    }
    for (const Symbol x : left_neighbours_) left_[x].number = 0;
    for (const Symbol y : right_neighbours_) right_[y].number = 0;
  }

  // Words are in the order of their counts.
  void note_frequent_words() {
    for (Position p = 1; p < arena_.size && result_.frequent.size() < options_.frequent_words; ++p) {
      const std::size_t before = result_.frequent.ids.size();
      for (; arena_.slots[p] != kBorder; p += lengths_[arena_.slots[p]]) {
        result_.frequent.ids.push_back(shown(arena_.slots[p]));
      }
      if (result_.frequent.ids.size() > before) result_.frequent.ends.push_back(result_.frequent.ids.size());
    }
  }

  const TrainerOptions& options_;
  const TrainerEvents& events_;
  TrainerResult result_;

  SymbolTable symbols_;
  Arena arena_;
  PairTable<Key> pairs_;
  PositionPool<Position> pool_;
  Queue queue_;
  std::uint64_t threshold_ = 1;
  bool crowded_ = false;  // there was no room to index what a merge has made

  // What the memory has room for.
  std::uint64_t most_positions_ = UINT64_MAX, most_pairs_ = UINT64_MAX;
  std::uint64_t longest_list_ = UINT64_MAX;
  int sketch_bits_ = kMostSketchBits;

  // By symbol.
  std::vector<Position> lengths_;  // in slots of the arena: compacting shortens them
  std::vector<Side> left_, right_;

  std::vector<Symbol> left_neighbours_, right_neighbours_;
  LargeArray<Logged> log_;
  std::uint64_t logged_ = 0;
};

using NarrowTrainer = Trainer<std::uint16_t, std::uint32_t, std::uint32_t>;
using WideTrainer = Trainer<std::uint32_t, std::uint64_t, std::uint64_t>;

}  // namespace

std::vector<std::string> TrainerResult::symbols() const {
  std::vector<std::string> symbols;
  symbols.reserve(256 + merges.size());
  for (int byte = 0; byte < 256; ++byte) symbols.emplace_back(1, static_cast<char>(byte));
  for (const Merge& merge : merges) symbols.push_back(symbols[merge.left] + symbols[merge.right]);
  return symbols;
}

TrainerResult train(const WordSource& words, const TrainerOptions& options, const TrainerEvents& events) {
  WordLayout layout = WordLayout::of(words, threads_of(options));
  const bool narrow =
      kFirstMerge + options.merges <= NarrowTrainer::Arena::kInner && layout.slots < UINT32_MAX;
  TrainerOptions within = options;
  within.merges = std::min(options.merges, layout.slots);  // each joins two symbols, which have a slot each
  return narrow ? NarrowTrainer(within, events).run(words, std::move(layout))
                : WideTrainer(within, events).run(words, std::move(layout));
}

}  // namespace tokmill
