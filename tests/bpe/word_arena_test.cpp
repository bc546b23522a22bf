#include "bpe/word_arena.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "bpe/naive.h"

using namespace tokmill;
using test::Random;
using test::Words;

namespace {

using Arena = WordArena<std::uint16_t, std::uint32_t>;

// What stands in the arena: words and their counts, in its order.
Words words_of(const Arena& arena) {
  Words words;
  BOOST_REQUIRE(arena.slots[0] == kBorder);
  std::uint32_t at = 1;
  for (const Arena::Run& run : arena.runs) {
    std::string word;
    for (; at < run.end; ++at) {
      if (arena.slots[at] == kBorder) {
        words.emplace_back(word, run.count);
        word.clear();
      } else {
        word += static_cast<char>(arena.slots[at]);
      }
    }
    BOOST_REQUIRE(word.empty());  // each run ends with a border
  }
  BOOST_REQUIRE(at == arena.size);
  return words;
}

Arena loaded(const Words& words) {
  Arena arena;
  arena.load(test::source_of(words));
  return arena;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(word_arena_test)

BOOST_AUTO_TEST_CASE(borders_stand_before_between_and_after_the_words) {
  const Arena arena = loaded({{"low", 5}, {"\xFF", 7}});
  const std::vector<std::uint16_t> expected = {kBorder, 0xFF, kBorder, 'l', 'o', 'w', kBorder};
  BOOST_TEST(std::vector<std::uint16_t>(arena.slots.data(), arena.slots.data() + arena.size) == expected,
             boost::test_tools::per_element());
  BOOST_TEST(WordLayout::of(test::source_of({{"low", 5}, {"\xFF", 7}})).slots == 7);
}

BOOST_AUTO_TEST_CASE(no_words) {
  const Arena arena = loaded({});
  BOOST_TEST(arena.runs.empty());
  BOOST_TEST(arena.size == 1);
}

BOOST_AUTO_TEST_CASE(words_are_ordered_by_count_and_otherwise_as_they_came) {
  Random random(1);
  for (int i = 0; i < 300; ++i) {
    // The borders between small and large counts are crossed.
    Words words =
        test::random_words(random, "abc", 40, 9, random.pick<std::uint64_t>({3, 4'095, 4'097, 1ull << 40}));
    const Arena arena = loaded(words);
    std::ranges::stable_sort(words, std::greater(), &Words::value_type::second);
    BOOST_REQUIRE(words_of(arena) == words);
    for (std::size_t r = 1; r < arena.runs.size(); ++r) {
      BOOST_REQUIRE(arena.runs[r].count < arena.runs[r - 1].count);
    }
  }
}

BOOST_AUTO_TEST_CASE(counts_at_ascending_positions) {
  Random random(2);
  for (int i = 0; i < 300; ++i) {
    const Arena arena =
        loaded(test::random_words(random, "ab", 60, 9, random.pick<std::uint64_t>({1, 5, 1'000'000})));
    Arena::CountAt count_at(arena);
    const std::size_t step = random.pick<std::size_t>({1, 3, 50, 200});
    for (std::size_t p = random.below(step); p < arena.size; p += random.between(1, step)) {
      const auto run = std::ranges::find_if(arena.runs, [&](const auto& r) { return p < r.end; });
      BOOST_REQUIRE(count_at(static_cast<std::uint32_t>(p)) == run->count);
      if (random.below(4) == 0) BOOST_REQUIRE(count_at(static_cast<std::uint32_t>(p)) == run->count);
    }
  }
}

BOOST_AUTO_TEST_CASE(compacting_makes_every_symbol_one_slot) {
  // Symbols 300 + n stand for n equal letters: first and last slot, kInner between.
  Random random(3);
  for (int i = 0; i < 300; ++i) {
    Words words;
    std::vector<std::vector<std::uint16_t>> symbols;
    for (std::size_t w = random.between(1, 20); w > 0; --w) {
      words.emplace_back("", random.between(1, 4));
      symbols.emplace_back();
      for (std::size_t s = random.below(6); s > 0; --s) {
        const std::size_t length = random.between(1, 5);
        words.back().first.append(length, 'q');
        symbols.back().push_back(static_cast<std::uint16_t>(length == 1 ? 'q' : 300 + length));
      }
    }
    Arena arena = loaded(words);
    std::vector<std::uint16_t> expected = {kBorder};
    std::uint32_t at = 1;
    std::vector<std::pair<std::uint32_t, std::uint64_t>> runs;
    for (std::uint64_t count = 4; count > 0; --count) {
      for (std::size_t w = 0; w < words.size(); ++w) {
        if (words[w].second != count) continue;
        for (const std::uint16_t symbol : symbols[w]) {
          const std::uint32_t length = symbol < 300 ? 1 : symbol - 300u;
          std::fill_n(arena.slots.data() + at, length, Arena::kInner);
          arena.slots[at] = arena.slots[at + length - 1] = symbol;
          at += length;
          expected.push_back(symbol);
        }
        ++at;
        expected.push_back(kBorder);
        if (runs.empty() || runs.back().second != count) runs.emplace_back(0, count);
        runs.back().first = static_cast<std::uint32_t>(expected.size());
      }
    }
    BOOST_REQUIRE(at == arena.size);
    arena.compact([](std::uint16_t symbol) { return symbol > 300 ? symbol - 300 : 1; });
    BOOST_REQUIRE(std::vector<std::uint16_t>(arena.slots.data(), arena.slots.data() + arena.size) ==
                  expected);
    BOOST_REQUIRE(arena.runs.size() == runs.size());
    for (std::size_t r = 0; r < runs.size(); ++r) {
      BOOST_REQUIRE(arena.runs[r].end == runs[r].first);
      BOOST_REQUIRE(arena.runs[r].count == runs[r].second);
    }
  }
}

BOOST_AUTO_TEST_CASE(segmenting_makes_every_symbol_one_slot) {
  // Symbols 300 + n stand for n equal letters.
  const auto symbols_of = [](std::string_view word) {
    std::vector<std::uint16_t> symbols;
    for (std::size_t i = 0; i < word.size();) {
      const std::size_t length = std::min(word.find_first_not_of(word[i], i), word.size()) - i;
      symbols.push_back(
          static_cast<std::uint16_t>(length == 1 ? static_cast<unsigned char>(word[i]) : 300 + length));
      i += length;
    }
    return symbols;
  };
  Random random(4);
  for (int i = 0; i < 300; ++i) {
    Words words = test::random_words(random, std::string("a\xFF", 2), 30, 9, 5);
    for (std::size_t empty = random.below(3); empty > 0; --empty)
      words.emplace_back("", random.between(1, 5));
    Arena arena = loaded(words);
    arena.segment(symbols_of);
    std::ranges::stable_sort(words, std::greater(), &Words::value_type::second);
    std::vector<std::uint16_t> expected = {kBorder};
    std::map<std::uint64_t, std::size_t, std::greater<>> ends;
    for (const auto& [word, count] : words) {
      for (const std::uint16_t symbol : symbols_of(word)) expected.push_back(symbol);
      expected.push_back(kBorder);
      ends[count] = expected.size();
    }
    BOOST_REQUIRE(std::vector<std::uint16_t>(arena.slots.data(), arena.slots.data() + arena.size) ==
                  expected);
    BOOST_REQUIRE(arena.runs.size() == ends.size());
    for (const auto& run : arena.runs) BOOST_REQUIRE(run.end == ends.at(run.count));
  }
}

BOOST_AUTO_TEST_SUITE_END()
