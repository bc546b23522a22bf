#include "format/vocabulary_reader.h"

#include <boost/test/unit_test.hpp>

#include "format/models.h"
#include "io/scratch.h"

using namespace tokmill;
using namespace tokmill::test;

namespace {

/// A reader that knows "a" 0, "b" 2, "Ġa" 5 and "ab" 3.
VocabularyReader some_tokens() {
  VocabularyReader reader("the vocabulary");
  reader.add_token("a", 0);
  reader.add_token("\u0120a", 5);
  reader.add_token("ab", 3);
  reader.add_token("b", 2);
  return reader;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(vocabulary_reader_test)

BOOST_AUTO_TEST_CASE(tokens_come_in_any_order_and_may_leave_gaps) {
  const TokenizerModel model = some_tokens().finish();
  const std::vector<std::string> expected = {"a", "", "b", "ab", "", " a"};
  BOOST_TEST(model.tokens == expected, boost::test_tools::per_element());
  BOOST_TEST(model.specials.empty());
}

BOOST_AUTO_TEST_CASE(merges_are_found_by_spelling_and_kept_in_order) {
  VocabularyReader reader = some_tokens();
  reader.add_token("\u0120ab", 1);
  reader.add_merge("a", "b", {"file", "line", 1});
  reader.add_merge("\u0120a", "b", {"file", "line", 2});
  const std::vector<TokenizerModel::Merge> expected = {{0, 2, 3}, {5, 2, 1}};
  BOOST_TEST(std::move(reader).finish().merges == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(an_unknown_part_or_result_is_an_error_with_its_place) {
  VocabularyReader reader = some_tokens();
  const auto error = [&](const char* left, const char* right) {
    return error_of([&] { reader.add_merge(left, right, {"a file", "line", 7}); });
  };
  BOOST_TEST(error("a", "c") == "a file: line 7: the token 'c' is not in the vocabulary");
  BOOST_TEST(error("c", "a") == "a file: line 7: the token 'c' is not in the vocabulary");
  BOOST_TEST(error("b", "a") == "a file: line 7: the token 'ba' is not in the vocabulary");
  BOOST_TEST(error("", "a") == "a file: line 7: the token '' is not in the vocabulary");
  BOOST_TEST(std::move(reader).finish().merges.empty());
}

BOOST_AUTO_TEST_CASE(an_id_or_a_token_given_twice_or_too_large_is_an_error) {
  VocabularyReader reader = some_tokens();
  const auto error = [&](const char* token, std::uint64_t id) {
    return error_of([&] { reader.add_token(token, id); });
  };
  BOOST_TEST(says(error("c", 2), "the vocabulary: token id 2 is empty or given twice"));
  BOOST_TEST(says(error("", 7), "the vocabulary: token id 7 is empty or given twice"));
  BOOST_TEST(says(error("a", 8), "the vocabulary: the token 'a' is given twice"));
  BOOST_TEST(says(error("c", 1'000'000'000'000), "token id 1000000000000 is too large"));
}

BOOST_AUTO_TEST_CASE(what_spells_no_bytes_is_kept_as_it_is) {
  VocabularyReader reader("x");
  reader.add_token("<a b>", 0);
  reader.add_token("\u65E5", 1);
  const TokenizerModel model = std::move(reader).finish();
  BOOST_TEST(model.tokens[0] == "<a b>");
  BOOST_TEST(model.tokens[1] == "\u65E5");
}

BOOST_AUTO_TEST_CASE(a_special_token_is_that_of_the_vocabulary_or_a_new_one) {
  VocabularyReader reader("x");
  reader.add_token("a", 0);
  reader.add_token("<|d\u00E9but|>", 1);  // as if it spelled the byte E9
  reader.add_special("<|d\u00E9but|>");
  reader.add_special("<|new|>");
  reader.add_special("<|new|>");
  reader.add_special("<|far|>", 5);
  const TokenizerModel model = std::move(reader).finish();
  const std::vector<std::string> expected = {"a", "<|d\u00E9but|>", "<|new|>", "", "", "<|far|>"};
  BOOST_TEST(model.tokens == expected, boost::test_tools::per_element());
  BOOST_TEST(model.specials.size() == 3);
  BOOST_TEST(model.find_special("<|d\u00E9but|>")->id == 1);
  BOOST_TEST(model.find_special("<|new|>")->id == 2);
  BOOST_TEST(model.find_special("<|far|>")->id == 5);
}

BOOST_AUTO_TEST_CASE(a_special_token_with_the_id_of_another_is_an_error) {
  VocabularyReader reader = some_tokens();
  const auto error = [&](const char* text, std::uint64_t id) {
    return error_of([&] { reader.add_special(text, id); });
  };
  BOOST_TEST(says(error("<|x|>", 2), "the vocabulary: added token '<|x|>' has the id of another token"));
  BOOST_TEST(says(error("ab", 7), "added token 'ab' has the id of another token"));
  BOOST_TEST(says(error("<|x|>", 10'000'000), "the vocabulary: added token '<|x|>': id too large"));
}

BOOST_AUTO_TEST_SUITE_END()
