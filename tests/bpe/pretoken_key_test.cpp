#include "bpe/pretoken_key.h"

#include <boost/test/unit_test.hpp>
#include <set>

#include "support.h"

using namespace tokmill;
using test::Random;

BOOST_AUTO_TEST_SUITE(pretoken_key_test)

BOOST_AUTO_TEST_CASE(holds_the_bytes_of_every_length) {
  Random random(1);
  for (std::size_t length = 1; length <= PretokenKey::kMaxLength; ++length) {
    for (int i = 0; i < 100; ++i) {
      const std::string text = random.bytes(64);
      const std::string pretoken = text.substr(0, length);
      const PretokenKey key = PretokenKey::read(text.data(), length);
      BOOST_REQUIRE(!key.empty());
      BOOST_REQUIRE(key.length() == length);
      BOOST_REQUIRE(key.bytes() == pretoken);
      // What follows the pretoken does not matter.
      const PretokenKey same = PretokenKey::of(pretoken);
      BOOST_REQUIRE(key == same);
      BOOST_REQUIRE(key.hash() == same.hash());
    }
  }
}

BOOST_AUTO_TEST_CASE(different_pretokens_have_different_keys) {
  // Zero bytes at the end, and single bits, are what could be lost.
  std::vector<std::string> pretokens;
  for (std::size_t length = 1; length <= PretokenKey::kMaxLength; ++length) {
    pretokens.emplace_back(length, '\0');
    for (std::size_t bit = 0; bit < 8 * length; ++bit) {
      pretokens.emplace_back(length, '\0');
      pretokens.back()[bit / 8] = static_cast<char>(1 << bit % 8);
    }
  }
  for (std::size_t i = 0; i < pretokens.size(); ++i) {
    const PretokenKey key = PretokenKey::of(pretokens[i]);
    BOOST_REQUIRE(!key.empty());
    for (std::size_t k = 0; k < pretokens.size(); ++k) {
      BOOST_REQUIRE((key == PretokenKey::of(pretokens[k])) == (i == k));
    }
  }
}

BOOST_AUTO_TEST_CASE(no_key_is_that_of_a_free_slot) {
  BOOST_TEST(PretokenKey{}.empty());
  BOOST_TEST(!PretokenKey::of(std::string(1, '\0')).empty());
  BOOST_TEST(!(PretokenKey::of(std::string(1, '\0')) == PretokenKey()));
}

BOOST_AUTO_TEST_CASE(hashes_spread_over_small_tables) {
  // 4,096 words in 4,096 places: about 1 - 1/e of them taken.
  std::set<std::uint32_t> low;
  for (int i = 0; i < 4'096; ++i) low.insert(PretokenKey::of(" w" + std::to_string(i)).hash() % 4'096);
  BOOST_TEST(low.size() > 2'200);
}

BOOST_AUTO_TEST_CASE(long_pretokens_differ_by_hash) {
  std::set<std::uint64_t> hashes;
  for (std::size_t length = 16; length < 300; ++length)
    hashes.insert(hash_long_pretoken(std::string(length, 'a')));
  BOOST_TEST(hashes.size() == 284);
}

BOOST_AUTO_TEST_SUITE_END()
