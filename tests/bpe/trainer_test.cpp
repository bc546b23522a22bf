#include "bpe/trainer.h"

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <set>

#include "bpe/naive.h"
#include "io/error.h"
#include "io/scratch.h"

using namespace tokmill;
using test::naive_train;
using test::Random;
using test::SpelledMerge;
using test::Words;

namespace {

// From here on the trainer needs wide symbols.
constexpr std::uint64_t kWide = 70'000;

TrainerResult trained(const Words& words, const TrainerOptions& options) {
  return train(test::source_of(words), options);
}

std::string joined(const std::vector<SpelledMerge>& merges) {
  std::string out;
  for (const auto& [left, right] : merges) out += (out.empty() ? "" : ", ") + left + " " + right;
  return out;
}

std::string learnt(const Words& words, std::uint64_t merges, std::uint64_t min_frequency = 1,
                   TieBreak tie_break = TieBreak::kBytes) {
  return joined(test::spell(trained(words, {merges, min_frequency, 0, tie_break})));
}

const std::vector<std::string>& alphabets() {
  static const std::vector<std::string> all = {
      "a", "ab", "ab", "abc", "abcd", std::string("\0a", 2), std::string("\xFF\0", 2), "\x80z"};
  return all;
}

// One random table, for each way to break ties trained once by the slow way, and by the trainer with a few
// thresholds.
void compare(Random& random, const Words& words, std::uint64_t merges, std::uint64_t min_frequency,
             const std::vector<std::uint64_t>& thresholds) {
  for (const TieBreak tie_break : {TieBreak::kBytes, TieBreak::kHf}) {
    const std::vector<SpelledMerge> expected = naive_train(words, merges, min_frequency, tie_break);
    for (const std::uint64_t threshold : thresholds) {
      const std::uint64_t asked = expected.size() < merges && random.below(16) == 0 ? kWide : merges;
      const auto got = test::spell(trained(words, {asked, min_frequency, threshold, tie_break}));
      BOOST_REQUIRE_MESSAGE(got == expected, test::describe(words) << "threshold " << threshold << ", "
                                                                   << asked << " merges: " << joined(got)
                                                                   << "; not " << joined(expected));
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(trainer_test)

BOOST_AUTO_TEST_CASE(sennrichs_example) {
  const Words words = {{"low", 5}, {"lower", 2}, {"widest", 3}, {"newest", 6}};
  const std::string all = "s t, e st, o w, l ow, w est, n e, ne west, w i, wi d, wid est, low e, lowe r";
  BOOST_TEST(learnt(words, 12) == all);
  BOOST_TEST(learnt(words, 1'000) == all);
  BOOST_TEST(learnt(words, kWide) == all);
  BOOST_TEST(learnt(words, 6) == all.substr(0, all.find(", ne west")));
}

BOOST_AUTO_TEST_CASE(overlapping_pairs_count_and_the_greater_bytes_win_ties) {
  BOOST_TEST(learnt({{"aaa bbb aaa", 1}}, 4) == "a a, b b, aa a, bb b");
  BOOST_TEST(learnt({{"aaaa", 1}}, 9) == "a a, aa aa");
  BOOST_TEST(learnt({{"ab", 1}, {"cd", 1}}, 9) == "c d, a b");
  BOOST_TEST(learnt({{"a\x7F", 1}, {"a\x80", 1}}, 1) == "a \x80");
}

BOOST_AUTO_TEST_CASE(ties_are_decided_by_all_the_bytes_of_long_tokens) {
  // Both pairs stand for 10 occurrences; the left tokens differ after eight and more equal bytes.
  const Words words = {{"aaaaaaaaaaaabx", 10}, {"aaaaaaaaaaaacx", 10}, {"aaaaaaaaaaaac", 1}};
  const auto expected = naive_train(words, 40);
  BOOST_TEST(joined(test::spell(trained(words, {40, 1}))) == joined(expected));
}

BOOST_AUTO_TEST_CASE(the_smaller_ids_win_ties_as_in_hugging_face) {
  const auto hf = [](const Words& words, std::uint64_t merges) {
    return learnt(words, merges, 1, TieBreak::kHf);
  };
  BOOST_TEST(hf({{"ab", 1}, {"cd", 1}}, 9) == "a b, c d");
  // A space is spelled U+0120: it comes after all that is printable, \x7F (U+0121) next.
  BOOST_TEST(hf({{" y", 1}, {"\x7Fy", 1}, {"zy", 1}, {"\xFFy", 1}}, 9) == "z y, \xFF y,   y, \x7F y");
  BOOST_TEST(hf({{"az", 1}, {"a ", 1}}, 1) == "a z");
  BOOST_TEST(hf({{"a\x7F", 1}, {"a\x80", 1}}, 1) == "a \x7F");
  // Bytes come before merges, and these in their order: "zy" is the second, "ab" the third.
  BOOST_TEST(hf({{"xx", 9}, {"zy", 6}, {"ab", 5}, {"zyc", 2}, {"abc", 2}, {"zd", 2}}, 6) ==
             "x x, z y, a b, z d, zy c, ab c");
}

BOOST_AUTO_TEST_CASE(numbers_symbols_in_the_order_of_the_merges) {
  const TrainerResult result = trained({{"abab", 2}, {"abc", 1}}, {9, 1});
  const std::vector<TrainerResult::Merge> expected = {{'a', 'b'}, {256, 256}, {256, 'c'}};
  BOOST_TEST((result.merges == expected));
  const std::vector<std::string> symbols = result.symbols();
  BOOST_REQUIRE(symbols.size() == 259);
  BOOST_TEST(symbols[255] == "\xFF");
  BOOST_TEST(symbols[0] == std::string(1, '\0'));
  BOOST_TEST(symbols[257] == "abab");
  BOOST_TEST(symbols[258] == "abc");
}

BOOST_AUTO_TEST_CASE(stops_below_the_least_frequency) {
  const Words words = {{"low", 5}, {"lower", 2}, {"widest", 3}, {"newest", 6}};
  BOOST_TEST(learnt(words, 99, 6) == "s t, e st, o w, l ow, w est, n e, ne west");
  BOOST_TEST(learnt(words, 99, 9) == "s t, e st");
  BOOST_TEST(learnt(words, 99, 10).empty());
}

BOOST_AUTO_TEST_CASE(nothing_to_learn) {
  BOOST_TEST(learnt({}, 10).empty());
  BOOST_TEST(learnt({{"a", 7}, {"b", 9}}, 10).empty());
  BOOST_TEST(learnt({{"abc", 7}}, 0).empty());
  BOOST_TEST(learnt({{"", 7}, {"ab", 1}, {"", 8'000}}, 10) == "a b");
}

BOOST_AUTO_TEST_CASE(counts_are_64_bit) {
  const std::uint64_t large = std::uint64_t{1} << 40;
  BOOST_TEST(learnt({{"ab", large}, {"cd", large + 1}, {"xy", large - 1}}, 3) == "c d, a b, x y");
  const std::uint64_t larger = std::uint64_t{1} << 62;
  BOOST_TEST(learnt({{"ab", larger}, {"abc", larger}, {"bc", larger}, {"yz", larger}}, 2) == "b c, y z");
}

BOOST_AUTO_TEST_CASE(a_threshold_makes_windows_and_changes_nothing) {
  Random random(5);
  const Words words = test::random_words(random, "abcd", 60, 12, 1'000);
  const TrainerResult one = trained(words, {300, 1, 1});
  BOOST_TEST(one.windows == 1);
  std::uint64_t before = 1;
  for (const std::uint64_t threshold : {50u, 5'000u, 500'000u}) {
    const TrainerResult many = trained(words, {300, 1, threshold});
    BOOST_TEST(many.windows > before);
    BOOST_TEST((many.merges == one.merges));
    before = many.windows;
  }
}

BOOST_AUTO_TEST_CASE(threads_change_nothing) {
  Random random(31);
  for (int trial = 0; trial < 60; ++trial) {
    // Counts of both kinds that the layout knows, many of them equal.
    const Words words = test::random_words(random, random.pick(alphabets()), random.below(200), 12,
                                           random.pick<std::uint64_t>({2, 50, 10'000}));
    TrainerOptions options{100, 1, random.pick<std::uint64_t>({0, 1, 30})};
    options.frequent_words = 50;
    const TrainerResult one = trained(words, options);
    for (const std::size_t threads : {2u, 3u, 16u}) {
      options.threads = threads;
      const TrainerResult many = trained(words, options);
      BOOST_REQUIRE((many.merges == one.merges));
      BOOST_REQUIRE(many.frequent.ids == one.frequent.ids);
      BOOST_REQUIRE(many.frequent.ends == one.frequent.ends);
      BOOST_REQUIRE(many.windows == one.windows);
    }
  }
}

BOOST_AUTO_TEST_CASE(little_memory_makes_windows_and_changes_nothing) {
  Random random(77);
  const test::ScratchDirectory directory;
  std::uint64_t most_windows = 0, refused = 0;
  for (int i = 0; i < 60; ++i) {
    const std::size_t letters = random.between(2, 26);
    const std::string alphabet = std::string("abcdefghijklmnopqrstuvwxyz").substr(0, letters);
    const Words words =
        test::random_words(random, alphabet, random.between(10, 2'000), random.between(2, 40), 1'000);
    TrainerOptions options;
    options.merges = random.below(2) == 0 ? random.between(1, 600) : kWide;
    options.min_frequency = random.between(1, 3);
    options.tie_break = random.below(2) == 0 ? TieBreak::kBytes : TieBreak::kHf;
    options.frequent_words = 50;
    const TrainerResult expected = trained(words, options);
    options.directory = directory.path();
    options.least_index = 512;
    options.threshold = random.below(3);
    for (options.memory = 60'000 + 250 * options.merges; options.memory < (64 << 20);
         options.memory += options.memory / 16) {
      try {
        const TrainerResult got = trained(words, options);
        BOOST_REQUIRE(got.merges == expected.merges);
        BOOST_REQUIRE(got.frequent.ids == expected.frequent.ids);
        most_windows = std::max(most_windows, got.windows);
        if (got.windows <= expected.windows + 1) break;  // more would change no more
      } catch (const Error& error) {
        BOOST_REQUIRE(test::says(error.what(), "training needs --memory of at least"));
        ++refused;
      }
    }
    BOOST_REQUIRE(options.memory < (64 << 20));
  }
  BOOST_TEST(most_windows >= 20);
  BOOST_TEST(refused > 20);
  BOOST_TEST(std::filesystem::is_empty(directory.path()));
}

BOOST_AUTO_TEST_CASE(more_merges_than_there_can_be_ask_for_no_memory) {
  const Words words = {{"low", 5}, {"lower", 2}, {"widest", 3}, {"newest", 6}};
  TrainerOptions options{std::uint64_t{1} << 40};
  options.memory = 20 << 20;
  BOOST_TEST(joined(test::spell(trained(words, options))) == learnt(words, 1'000));
}

BOOST_AUTO_TEST_CASE(reports_progress) {
  Random random(6);
  const Words words = test::random_words(random, "abcdefgh", 200, 12, 100);
  std::vector<std::uint64_t> seen;
  std::vector<TrainerResult::Merge> last;
  TrainerEvents events;
  events.progress = [&](std::span<const TrainerResult::Merge> merges) {
    seen.push_back(merges.size());
    last.assign(merges.begin(), merges.end());
  };
  TrainerResult result = train(test::source_of(words), {400, 1}, events);
  BOOST_REQUIRE(result.merges.size() == 400);
  BOOST_REQUIRE(seen.size() > 1);
  BOOST_TEST((std::is_sorted(seen.begin(), seen.end()) && seen.front() > 0 && seen.back() <= 400));
  result.merges.resize(last.size());
  BOOST_TEST((result.merges == last));
}

BOOST_AUTO_TEST_CASE(tells_of_its_phases) {
  Random random(10);
  const Words words = test::random_words(random, "abcd", 60, 12, 1'000);
  std::string seen;
  TrainerEvents events;
  events.phase = [&](TrainerPhase phase) { seen += "wime"[static_cast<int>(phase)]; };
  TrainerOptions options{300, 1, 5'000};
  const TrainerResult result = train(test::source_of(words), options, events);
  BOOST_TEST(result.windows > 1);
  std::string expected = "w";
  for (std::uint64_t i = 0; i < result.windows; ++i) expected += "im";
  BOOST_TEST(seen == expected + "e");
  seen.clear();
  options.resume.assign(result.merges.begin(), result.merges.begin() + 100);
  const std::uint64_t windows = train(test::source_of(words), options, events).windows;
  expected = "w";
  for (std::uint64_t i = 0; i < windows; ++i) expected += "im";
  BOOST_TEST(seen == expected + "e");
}

BOOST_AUTO_TEST_CASE(counts_what_it_holds) {
  Random random(11);
  const Words words = test::random_words(random, "abcdefgh", 2'000, 12, 100);
  for (const std::uint64_t merges : {400u, 70'000u}) {
    const TrainerResult::Memory memory = trained(words, {merges, 1, 50}).memory;
    const std::uint64_t symbol = merges < kWide ? 2 : 4, position = 2 * symbol;
    std::uint64_t slots = 1, occurrences = 0;
    for (const auto& [word, count] : words) slots += word.size() + 1, occurrences += word.size() - 1;
    BOOST_TEST(memory.words == slots * symbol);
    BOOST_TEST(memory.positions > occurrences / 2 * position);
    BOOST_TEST(memory.positions < 20 * occurrences * position);
    BOOST_TEST(memory.pairs > 1'000);
    BOOST_TEST(memory.queue > 100);
    BOOST_TEST(memory.queue < memory.pairs);
  }
}

BOOST_AUTO_TEST_CASE(agrees_with_the_naive_trainer_on_tables_full_of_ties) {
  Random random(1);
  for (int i = 0; i < 3'000; ++i) {
    const std::string& alphabet = random.pick(alphabets());
    const Words words = test::random_words(random, alphabet, random.between(1, 12), 12,
                                           random.pick<std::uint64_t>({1, 2, 5, 100}));
    compare(random, words, random.between(1, 60), random.pick<std::uint64_t>({0, 1, 1, 1, 2, 7, 50}),
            {0, random.pick<std::uint64_t>({1, 2, 3, 8, 30, 200})});
  }
}

BOOST_AUTO_TEST_CASE(agrees_with_the_naive_trainer_on_any_bytes) {
  Random random(9);
  for (int i = 0; i < 300; ++i) {
    std::string alphabet;  // small, so that pairs come again
    for (std::size_t k = random.between(1, 8); k-- > 0;) alphabet += random.bytes(1);
    const Words words =
        test::random_words(random, alphabet, random.between(1, 40), 12, random.pick<std::uint64_t>({1, 3}));
    compare(random, words, 60, 1, {0, random.pick<std::uint64_t>({1, 2, 4, 9})});
  }
}

BOOST_AUTO_TEST_CASE(agrees_with_the_naive_trainer_on_large_counts) {
  Random random(2);
  for (int i = 0; i < 150; ++i) {
    // Counts about the places where a count goes from one structure to another.
    const Words words = test::random_words(random, random.pick(alphabets()), random.between(1, 12), 12,
                                           random.pick<std::uint64_t>({4'200, 17'000, 70'000, 1ull << 40}));
    compare(random, words, 60, 1, {0, random.pick<std::uint64_t>({4'096, 16'384, 1'000'000, 1ull << 45})});
  }
}

BOOST_AUTO_TEST_CASE(agrees_with_the_naive_trainer_on_long_words) {
  Random random(3);
  for (int i = 0; i < 100; ++i) {
    const Words words = test::random_words(random, random.pick(alphabets()), random.between(1, 6), 120, 3);
    compare(random, words, 80, 1, {0, random.pick<std::uint64_t>({1, 4, 20, 500})});
  }
}

BOOST_AUTO_TEST_CASE(wide_symbols_agree_with_the_naive_trainer) {
  Random random(4);
  for (int i = 0; i < 100; ++i) {
    const Words words = test::random_words(random, random.pick(alphabets()), random.between(1, 12), 12, 5);
    for (const TieBreak tie_break : {TieBreak::kBytes, TieBreak::kHf}) {
      const std::vector<SpelledMerge> expected = naive_train(words, 1'000, 1, tie_break);
      for (const std::uint64_t threshold : {0u, 6u}) {
        const auto got = test::spell(trained(words, {kWide, 1, threshold, tie_break}));
        BOOST_REQUIRE_MESSAGE(got == expected, test::describe(words) << joined(got));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(goes_on_from_any_merge) {
  Random random(12);
  for (int i = 0; i < 500; ++i) {
    const std::size_t longest = random.pick<std::size_t>({12, 12, 12, 150});  // the merge loop has three ways
    const Words words =
        test::random_words(random, random.pick(alphabets()), random.between(1, longest == 12 ? 40 : 6),
                           longest, random.pick<std::uint64_t>({1, 3, 100, 17'000}));
    for (const TieBreak tie_break : {TieBreak::kBytes, TieBreak::kHf}) {
      TrainerOptions options{60, random.pick<std::uint64_t>({1, 1, 2, 7}),
                             random.pick<std::uint64_t>({0, 1, 3, 30, 200}), tie_break, random.below(50)};
      const TrainerResult whole = trained(words, options);
      // Where no more can be learnt, asking for more makes the symbols wide and changes nothing else.
      if (whole.merges.size() < options.merges && random.below(8) == 0) options.merges = kWide;
      for (int k = 0; k < 3; ++k) {
        const auto done = static_cast<std::ptrdiff_t>(random.below(whole.merges.size() + 1));
        options.resume.assign(whole.merges.begin(), whole.merges.begin() + done);
        options.threshold = random.pick<std::uint64_t>({0, 1, 3, 30, 200});
        const TrainerResult resumed = trained(words, options);
        BOOST_REQUIRE_MESSAGE(resumed.merges == whole.merges,
                              test::describe(words)
                                  << "from " << done << " merges: " << joined(test::spell(resumed))
                                  << "; not " << joined(test::spell(whole)));
        BOOST_REQUIRE(resumed.frequent.ids == whole.frequent.ids);
        BOOST_REQUIRE(resumed.frequent.ends == whole.frequent.ends);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(goes_on_from_more_merges_than_it_is_to_learn) {
  const Words words = {{"low", 5}, {"lower", 2}, {"widest", 3}, {"newest", 6}};
  TrainerOptions options{7, 1};
  options.resume = trained(words, {12, 1}).merges;
  BOOST_TEST((trained(words, options).merges == trained(words, {7, 1}).merges));
}

BOOST_AUTO_TEST_CASE(goes_on_from_many_merges_narrow_and_wide) {
  Random random(13);
  const Words words = test::random_words(random, "abcdefghijklmnopqrstuvwxyz", 40'000, 20, 300);
  for (const TieBreak tie_break : {TieBreak::kBytes, TieBreak::kHf}) {
    for (const std::uint64_t merges : {std::uint64_t{20'000}, kWide}) {
      TrainerOptions options{merges, 1, 0, tie_break};
      const TrainerResult whole = trained(words, options);
      BOOST_REQUIRE(whole.merges.size() == merges);
      for (const std::uint64_t done : {std::uint64_t{64}, merges / 2, merges - 1, merges}) {
        options.resume.assign(whole.merges.begin(), whole.merges.begin() + static_cast<std::ptrdiff_t>(done));
        options.threshold = done == 64 ? 100'000 : 0;
        const TrainerResult resumed = trained(words, options);
        BOOST_TEST((resumed.merges == whole.merges));
        BOOST_TEST((done != 64 || resumed.windows > 1));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(many_merges_are_the_same_narrow_and_wide) {
  Random random(7);
  const Words words = test::random_words(random, "abcdefghijklmnopqrstuvwxyz", 40'000, 20, 300);
  const TrainerResult narrow = trained(words, {20'000, 1});
  BOOST_REQUIRE(narrow.merges.size() == 20'000);
  TrainerResult wide = trained(words, {kWide, 1, 1'000});
  BOOST_TEST(wide.windows > 1);
  BOOST_REQUIRE(wide.merges.size() > 65'536 - 256);
  const std::vector<std::string> symbols = wide.symbols();
  BOOST_TEST(std::set<std::string>(symbols.begin(), symbols.end()).size() == symbols.size());
  wide.merges.resize(narrow.merges.size());
  BOOST_TEST((wide.merges == narrow.merges));
}

BOOST_AUTO_TEST_CASE(the_last_narrow_and_the_first_wide_vocabulary_agree) {
  Random random(8);
  const Words words = test::random_words(random, "abcdefghijklmnopqrstuvwxyz", 40'000, 20, 3);
  constexpr std::uint64_t kLastNarrow = 65'278;
  const TrainerResult narrow = trained(words, {kLastNarrow, 1});
  TrainerResult wide = trained(words, {kLastNarrow + 1, 1});
  BOOST_REQUIRE(narrow.merges.size() == kLastNarrow);
  BOOST_REQUIRE(wide.merges.size() == kLastNarrow + 1);
  wide.merges.pop_back();
  BOOST_TEST((narrow.merges == wide.merges));
}

BOOST_AUTO_TEST_SUITE_END()
