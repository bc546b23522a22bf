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

template <class Id>
void compare_with_a_map(std::uint64_t seed) {
  Random random(seed);
  for (int i = 0; i < 50; ++i) {
    const TokenizerModel model = test::random_model(random, "abcdef", random.below(2'000));
    const MergeRanks<Id> ranks(model);
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> map;
    for (std::uint32_t rank = 0; rank < model.merges.size(); ++rank) {
      const auto& merge = model.merges[rank];
      map[{merge.left, merge.right}] = rank;
      BOOST_REQUIRE(ranks.find(merge.left, merge.right) == rank);
      BOOST_REQUIRE(ranks.result(rank) == merge.result);
    }
    for (int k = 0; k < 2'000; ++k) {
      const auto left = static_cast<std::uint32_t>(random.below(model.tokens.size()));
      const auto right = static_cast<std::uint32_t>(random.below(model.tokens.size()));
      const auto found = map.find({left, right});
      BOOST_REQUIRE(ranks.find(left, right) == (found == map.end() ? kNone : found->second));
    }
    std::array<std::uint32_t, 256> ids;
    for (int byte = 0; byte < 256; ++byte) {
      ids[byte] = ranks.id_of_byte(static_cast<unsigned char>(byte));
      BOOST_REQUIRE(model.tokens.at(ids[byte]) == std::string(1, static_cast<char>(byte)));
    }
    for (int left = 0; left < 256; ++left) {
      for (int right = 0; right < 256; ++right) {
        BOOST_REQUIRE(ranks.find_bytes(static_cast<unsigned char>(left), static_cast<unsigned char>(right)) ==
                      ranks.find(ids[left], ids[right]));
      }
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(merge_ranks_test)

BOOST_AUTO_TEST_CASE(agrees_with_a_map_on_random_models) {
  compare_with_a_map<std::uint16_t>(1);
  compare_with_a_map<std::uint32_t>(2);
}

BOOST_AUTO_TEST_CASE(without_merges_nothing_merges) {
  TokenizerModel model;
  model.tokens = {"a", "b"};
  const MergeRanks<std::uint16_t> ranks(model);
  BOOST_TEST(ranks.find(0, 1) == kNone);
  BOOST_TEST(ranks.find_bytes('a', 'b') == kNone);
  BOOST_TEST(ranks.find_bytes('a', 'c') == kNone);
  BOOST_TEST(ranks.id_of_byte('b') == 1);
  BOOST_TEST(ranks.id_of_byte('c') == kNone);
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
  BOOST_TEST(ranks.id_of_byte('|') == kNone);
  BOOST_TEST(ranks.id_of_byte('a') == 1);
  BOOST_TEST(ranks.id_of_byte('b') == kNone);
}

BOOST_AUTO_TEST_SUITE_END()
