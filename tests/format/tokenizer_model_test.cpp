#include "format/tokenizer_model.h"

#include <boost/test/unit_test.hpp>

using namespace tokmill;

namespace {

TokenizerModel small_model() {
  TokenizerModel model;
  model.tokens = {"<|x|>", "a", "b", "", "ab"};
  model.specials = {{"<|x|>", 0}};
  model.merges = {{1, 2, 4}};
  return model;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(tokenizer_model_test)

BOOST_AUTO_TEST_CASE(specials_are_found_by_their_text) {
  const TokenizerModel model = small_model();
  BOOST_REQUIRE(model.find_special("<|x|>") != nullptr);
  BOOST_TEST(model.find_special("<|x|>")->id == 0);
  BOOST_TEST(model.find_special("a") == nullptr);  // a token, but not a special one
  BOOST_TEST(model.special_texts() == std::vector<std::string>{"<|x|>"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_new_special_gets_the_next_id) {
  TokenizerModel model = small_model();
  add_special(model, "<|y|>");
  BOOST_TEST(model.tokens.size() == 6);
  BOOST_TEST(model.tokens[5] == "<|y|>");
  BOOST_TEST(model.find_special("<|y|>")->id == 5);
}

BOOST_AUTO_TEST_CASE(a_token_becomes_special_with_its_own_id) {
  TokenizerModel model = small_model();
  add_special(model, "ab");
  BOOST_TEST(model.tokens.size() == 5);
  BOOST_TEST(model.find_special("ab")->id == 4);
}

BOOST_AUTO_TEST_CASE(a_special_token_is_not_made_special_twice) {
  TokenizerModel model = small_model();
  add_special(model, "<|x|>");
  BOOST_TEST((model == small_model()));
}

BOOST_AUTO_TEST_CASE(models_are_equal_where_all_of_them_is) {
  const TokenizerModel model = small_model();
  TokenizerModel other = model;
  BOOST_TEST((model == other));
  other.ignore_merges = true;
  BOOST_TEST((model != other));
  other = model;
  other.merges[0].left = 2;
  BOOST_TEST((model != other));
  other = model;
  other.pattern = Pattern::kNone;
  BOOST_TEST((model != other));
}

BOOST_AUTO_TEST_SUITE_END()
