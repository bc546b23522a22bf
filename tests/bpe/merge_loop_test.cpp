#include "bpe/merge_loop.h"

#include <boost/test/unit_test.hpp>

#include "bpe/naive.h"
#include "io/error.h"

using namespace tokmill;
using test::NaiveEncoder;
using test::Random;

namespace {

using Ids = std::vector<std::uint32_t>;

std::string letters(Random& random, const std::string& alphabet, std::size_t size) {
  std::string out(size, '\0');
  for (char& c : out) c = alphabet[random.below(alphabet.size())];
  return out;
}

template <class Id>
Ids ids_of(MergeLoop<Id>& loop, std::string_view text) {
  const std::span<const Id> ids = loop.encode(text);
  return Ids(ids.begin(), ids.end());
}

std::string decoded(const TokenizerModel& model, const Ids& ids) {
  std::string out;
  for (const std::uint32_t id : ids) out += model.tokens.at(id);
  return out;
}

TokenizerModel trained_model(Random& random, const std::string& alphabet, std::size_t merges) {
  const auto words = test::random_words(random, alphabet, 40, 12, 9);
  return test::model_of(train(test::source_of(words), {merges, 1}));
}

// The lengths about which the way of working changes, and others.
std::size_t random_length(Random& random) {
  const std::size_t kind = random.below(10);
  return kind < 6 ? random.between(1, 20) : kind < 9 ? random.between(40, 60) : random.between(61, 400);
}

void compare(Random& random, const TokenizerModel& model, const std::string& alphabet, int texts) {
  const NaiveEncoder naive(model);
  MergeLoop<std::uint16_t> narrow(model);
  MergeLoop<std::uint32_t> wide(model);
  for (int i = 0; i < texts; ++i) {
    const std::size_t length = random_length(random);
    const std::string text =
        random.below(4) == 0
            ? std::string(length, random.pick(std::vector<char>(alphabet.begin(), alphabet.end())))
        : random.below(8) == 0 ? random.bytes(length)
                               : letters(random, alphabet, length);
    const Ids expected = naive.encode(text);
    BOOST_REQUIRE(ids_of(narrow, text) == expected);
    BOOST_REQUIRE(ids_of(wide, text) == expected);
    BOOST_REQUIRE(decoded(model, expected) == text);
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(merge_loop_test)

BOOST_AUTO_TEST_CASE(the_cat_ate) {
  TokenizerModel model;
  model.tokens = {" ", "a", "c", "e", "h", "t", "th", " c", " a", "the", " at"};
  model.merges = {{5, 4, 6}, {0, 2, 7}, {0, 1, 8}, {6, 3, 9}, {8, 5, 10}};
  MergeLoop<std::uint16_t> loop(model);
  BOOST_TEST(ids_of(loop, "the") == (Ids{9}), boost::test_tools::per_element());
  BOOST_TEST(ids_of(loop, " cat") == (Ids{7, 1, 5}), boost::test_tools::per_element());
  BOOST_TEST(ids_of(loop, " ate") == (Ids{10, 3}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_leftmost_of_equal_pairs_is_merged_first) {
  TokenizerModel model;
  model.tokens = {"a", "aa", "aaa"};
  model.merges = {{0, 0, 1}, {1, 0, 2}};
  MergeLoop<std::uint16_t> loop(model);
  BOOST_TEST(ids_of(loop, "a") == (Ids{0}), boost::test_tools::per_element());
  BOOST_TEST(ids_of(loop, "aaaaa") == (Ids{1, 2}), boost::test_tools::per_element());
  BOOST_TEST(ids_of(loop, std::string(101, 'a')).size() == 50);
  BOOST_TEST(ids_of(loop, std::string(101, 'a')).back() == 2);
}

BOOST_AUTO_TEST_CASE(newest_after_six_merges_of_sennrichs_example) {
  const test::Words words = {{"low", 5}, {"lower", 2}, {"widest", 3}, {"newest", 6}};
  const TokenizerModel model = test::model_of(train(test::source_of(words), {6, 1}));
  MergeLoop<std::uint16_t> loop(model);
  const Ids ids = ids_of(loop, "newest");
  BOOST_REQUIRE(ids.size() == 2);
  BOOST_TEST(model.tokens[ids[0]] == "ne");
  BOOST_TEST(model.tokens[ids[1]] == "west");
}

BOOST_AUTO_TEST_CASE(agrees_with_the_naive_encoder_on_trained_models) {
  Random random(1);
  for (int i = 0; i < 80; ++i) {
    const std::string alphabet = random.pick<std::string>({"a", "ab", "abc", "abcd", {"\0\xFF", 2}});
    compare(random, trained_model(random, alphabet, random.between(1, 150)), alphabet, 60);
  }
}

BOOST_AUTO_TEST_CASE(agrees_with_the_naive_encoder_on_models_that_no_trainer_makes) {
  Random random(2);
  for (int i = 0; i < 80; ++i) {
    const std::string alphabet = random.pick<std::string>({"a", "ab", "abc", "abcd"});
    compare(random, test::random_model(random, alphabet, random.between(1, 60)), alphabet, 60);
  }
}

BOOST_AUTO_TEST_CASE(agrees_with_the_naive_encoder_on_long_pretokens) {
  Random random(3);
  for (int i = 0; i < 8; ++i) {
    const TokenizerModel model =
        i % 2 == 0 ? trained_model(random, "ab", 100) : test::random_model(random, "ab", 30);
    const NaiveEncoder naive(model);
    MergeLoop<std::uint16_t> loop(model);
    const std::string text = i < 6 ? letters(random, "ab", 1'500) : std::string(1'999, 'a');
    BOOST_TEST((ids_of(loop, text) == naive.encode(text)));
  }
}

BOOST_AUTO_TEST_CASE(a_megabyte_that_is_one_pretoken_takes_no_quadratic_time) {
  Random random(4);
  const TokenizerModel model = trained_model(random, "ab", 150);
  MergeLoop<std::uint16_t> loop(model);
  for (const std::string& text :
       {std::string(1 << 20, 'a'), letters(random, "ab", 1 << 20), random.bytes(1 << 20)}) {
    BOOST_TEST((decoded(model, ids_of(loop, text)) == text));
  }
}

BOOST_AUTO_TEST_CASE(a_whole_token_is_no_shortcut_unless_the_model_says_so) {
  TokenizerModel model;
  model.tokens = {"a", "b", "ab", "bab", std::string(60, 'b'), "<s>"};
  model.merges = {{0, 1, 2}};
  model.specials = {{"<s>", 5}};
  const std::string sixty(60, 'b');
  MergeLoop<std::uint16_t> without(model);
  BOOST_TEST(ids_of(without, "bab") == (Ids{1, 2}), boost::test_tools::per_element());
  BOOST_TEST(ids_of(without, sixty).size() == 60);
  model.ignore_merges = true;
  MergeLoop<std::uint16_t> with(model);
  BOOST_TEST(ids_of(with, "bab") == (Ids{3}), boost::test_tools::per_element());
  BOOST_TEST(ids_of(with, sixty) == (Ids{4}), boost::test_tools::per_element());
  BOOST_TEST(ids_of(with, "babb") == (Ids{1, 2, 1}), boost::test_tools::per_element());
  BOOST_CHECK_THROW(ids_of(with, "<s>"), UnspellableByte);  // text, not the special token
}

BOOST_AUTO_TEST_CASE(ids_beyond_16_bits) {
  TokenizerModel model;
  for (int byte = 0; byte < 256; ++byte) model.tokens.emplace_back(1, static_cast<char>(byte));
  model.tokens.resize(70'000);
  model.tokens.insert(model.tokens.end(), {"ab", "abc"});
  model.merges = {{'a', 'b', 70'000}, {70'000, 'c', 70'001}};
  MergeLoop<std::uint32_t> loop(model);
  BOOST_TEST(ids_of(loop, "ababcc") == (Ids{70'000, 70'001, 'c'}), boost::test_tools::per_element());
  const Ids many = ids_of(loop, std::string(100, 'a') + "bc");
  BOOST_TEST(many.size() == 100);
  BOOST_TEST(many.back() == 70'001);
}

BOOST_AUTO_TEST_CASE(a_byte_that_the_vocabulary_cannot_spell_is_named) {
  TokenizerModel model;
  model.tokens = {"a", "b", "ab"};
  model.merges = {{0, 1, 2}};
  MergeLoop<std::uint16_t> loop(model);
  for (const std::size_t before : {0u, 1u, 5u, 47u, 48u, 300u}) {
    const std::string text = std::string(before, 'a') + "xab?";
    BOOST_CHECK_EXCEPTION(ids_of(loop, text), UnspellableByte,
                          [&](const UnspellableByte& error) { return error.place == text.data() + before; });
  }
  BOOST_TEST(ids_of(loop, "ab") == (Ids{2}), boost::test_tools::per_element());  // it goes on after that
}

BOOST_AUTO_TEST_SUITE_END()
