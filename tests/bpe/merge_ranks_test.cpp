#include "bpe/merge_ranks.h"

#include <array>
#include <boost/test/unit_test.hpp>
#include <map>

#include "bpe/naive.h"
#include "io/error.h"

using namespace tokmill;
using test::Random;

namespace {

constexpr std::uint32_t kNone = MergeRanks<std::uint16_t>::kNone;

// The symbol of every id that has one.
template <class Id>
std::map<std::uint32_t, std::uint32_t> symbols_by_id(const MergeRanks<Id>& ranks,
                                                     const TokenizerModel& model) {
  std::map<std::uint32_t, std::uint32_t> symbols;
  for (int byte = 0; byte < 256; ++byte) {
    if (!ranks.spells(static_cast<unsigned char>(byte))) continue;
    const std::uint32_t symbol = ranks.symbol_of_byte(static_cast<unsigned char>(byte));
    BOOST_REQUIRE(model.tokens.at(ranks.id_of(symbol)) == std::string(1, static_cast<char>(byte)));
    symbols[ranks.id_of(symbol)] = symbol;
  }
  for (std::uint32_t rank = 0; rank < model.merges.size(); ++rank) {
    const std::uint32_t symbol = ranks.result(rank);
    BOOST_REQUIRE(ranks.id_of(symbol) == model.merges[rank].result);
    const auto [entry, added] = symbols.emplace(model.merges[rank].result, symbol);
    BOOST_REQUIRE((added || entry->second == symbol));
  }
  return symbols;
}

template <class Id>
void compare_with_a_map(Random& random, const TokenizerModel& model) {
  const MergeRanks<Id> ranks(model);
  const auto symbols = symbols_by_id(ranks, model);
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> map;
  for (std::uint32_t rank = 0; rank < model.merges.size(); ++rank) {
    const auto& merge = model.merges[rank];
    map[{merge.left, merge.right}] = rank;
    BOOST_REQUIRE(ranks.find(symbols.at(merge.left), symbols.at(merge.right)) == rank);
  }
  const std::vector<std::pair<std::uint32_t, std::uint32_t>> known(symbols.begin(), symbols.end());
  for (int k = 0; k < 2'000; ++k) {
    const auto [left, left_symbol] = random.pick(known);
    const auto [right, right_symbol] = random.pick(known);
    const auto found = map.find({left, right});
    BOOST_REQUIRE(ranks.find(left_symbol, right_symbol) == (found == map.end() ? kNone : found->second));
  }
  for (int left = 0; left < 256; ++left) {
    for (int right = 0; right < 256; ++right) {
      const auto a = static_cast<unsigned char>(left), b = static_cast<unsigned char>(right);
      BOOST_REQUIRE(ranks.find_bytes(a, b) == ranks.find(ranks.symbol_of_byte(a), ranks.symbol_of_byte(b)));
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(merge_ranks_test)

BOOST_AUTO_TEST_CASE(agrees_with_a_map_on_random_models) {
  Random random(1);
  for (int i = 0; i < 50; ++i) {
    const TokenizerModel model = test::random_model(random, "abcdef", random.below(i % 2 == 0 ? 2'000 : 20));
    compare_with_a_map<std::uint16_t>(random, model);
    compare_with_a_map<std::uint32_t>(random, model);
  }
}

BOOST_AUTO_TEST_CASE(without_merges_nothing_merges) {
  TokenizerModel model;
  model.tokens = {"a", "b"};
  const MergeRanks<std::uint16_t> ranks(model);
  BOOST_TEST(ranks.find_bytes('a', 'b') == kNone);
  BOOST_TEST(ranks.find_bytes('a', 'c') == kNone);
  BOOST_TEST(ranks.id_of(ranks.symbol_of_byte('b')) == 1);
  BOOST_TEST(!ranks.spells('c'));
}

BOOST_AUTO_TEST_CASE(two_merges_may_make_one_token) {
  TokenizerModel model;
  model.tokens = {"a", "b", "c", "bc", "ab", "abc"};
  model.merges = {{1, 2, 3}, {0, 1, 4}, {0, 3, 5}, {4, 2, 5}};
  const MergeRanks<std::uint16_t> ranks(model);
  const auto symbols = symbols_by_id(ranks, model);
  BOOST_TEST(ranks.find(symbols.at(0), symbols.at(3)) == 2);
  BOOST_TEST(ranks.find(symbols.at(4), symbols.at(2)) == 3);
  BOOST_TEST(ranks.result(2) == ranks.result(3));
}

BOOST_AUTO_TEST_CASE(a_merge_of_what_no_text_has_is_passed_over) {
  TokenizerModel model;
  model.tokens = {"a", "b", "xy", "xya", "ab"};  // nothing makes "xy"
  model.merges = {{2, 0, 3}, {0, 1, 4}};
  const MergeRanks<std::uint16_t> ranks(model);
  BOOST_TEST(ranks.find_bytes('a', 'b') == 1);
  BOOST_TEST(ranks.id_of(ranks.result(1)) == 4);
}

BOOST_AUTO_TEST_CASE(a_pair_listed_twice_is_an_error) {
  TokenizerModel model;
  model.tokens = {"a", "b", "ab", "ba"};
  model.merges = {{0, 1, 2}, {1, 0, 3}, {0, 1, 2}};
  BOOST_CHECK_THROW(MergeRanks<std::uint16_t>{model}, Error);
  BOOST_CHECK_THROW(MergeRanks<std::uint32_t>{model}, Error);
}

BOOST_AUTO_TEST_CASE(a_special_token_of_one_byte_is_not_that_byte) {
  TokenizerModel model;
  model.tokens = {"|", "a", "b"};
  model.specials = {{"|", 0}, {"b", 2}};
  const MergeRanks<std::uint16_t> ranks(model);
  BOOST_TEST(!ranks.spells('|'));
  BOOST_TEST(ranks.id_of(ranks.symbol_of_byte('a')) == 1);
  BOOST_TEST(!ranks.spells('b'));
}

BOOST_AUTO_TEST_SUITE_END()
