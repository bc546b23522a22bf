#include "format/known_pretokens.h"

#include <boost/test/unit_test.hpp>

#include "format/models.h"
#include "io/scratch.h"

using namespace tokmill;
using namespace tokmill::test;

namespace {

KnownPretokens random_lists(Random& random, const TokenizerModel& model, std::size_t count) {
  KnownPretokens known;
  while (known.size() < count) {
    for (std::size_t length = random.between(1, random.below(5) == 0 ? 300 : 3); length > 0; --length) {
      known.ids.push_back(static_cast<std::uint32_t>(random.below(model.tokens.size())));
    }
    known.ends.push_back(known.ids.size());
  }
  return known;
}

struct Written {
  ScratchDirectory scratch;
  Random random{1};
  TokenizerModel model = random_model(random, 200, {"<|endoftext|>"}, Place::kFirst);
  KnownPretokens known = random_lists(random, model, 50);
  std::string text = known_pretokens_text(model, known);
  std::string path = scratch / kKnownPretokensName;

  Written() { put_file(path, text); }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(known_pretokens_test)

BOOST_AUTO_TEST_CASE(is_read_as_it_was_written) {
  Random random(2);
  for (const std::size_t count : {0u, 1u, 7u, 3'000u}) {
    const ScratchDirectory scratch;
    const TokenizerModel model = random_model(random, count, {"<|endoftext|>"}, Place::kLast);
    const KnownPretokens known = random_lists(random, model, count);
    put_file(scratch / kKnownPretokensName, known_pretokens_text(model, known));
    for (const std::string& tokenizer : {scratch.path(), scratch / "tokenizer.json"}) {
      const KnownPretokens read = read_known_pretokens(tokenizer, model);
      BOOST_TEST(read.ids == known.ids);
      BOOST_TEST(read.ends == known.ends);
    }
  }
}

BOOST_AUTO_TEST_CASE(is_empty_where_there_is_none) {
  const ScratchDirectory scratch;
  BOOST_TEST(read_known_pretokens(scratch.path(), {}).size() == 0);
  BOOST_TEST(read_known_pretokens("no/such/directory", {}).size() == 0);
}

BOOST_AUTO_TEST_CASE(special_tokens_may_be_added) {
  Written written;
  add_special(written.model, "<|another|>");
  BOOST_TEST(read_known_pretokens(written.path, written.model).size() == 50);
}

BOOST_AUTO_TEST_CASE(that_of_another_tokenizer_is_not_believed) {
  const Written written;
  const auto size_for = [&](auto change) {
    TokenizerModel other = written.model;
    change(other);
    return read_known_pretokens(written.path, other).size();
  };
  BOOST_TEST(size_for([](TokenizerModel&) {}) == 50);
  BOOST_TEST(size_for([](TokenizerModel& model) { model.merges.pop_back(); }) == 0);
  BOOST_TEST(size_for([](TokenizerModel& model) { std::swap(model.merges[0], model.merges[1]); }) == 0);
  BOOST_TEST(size_for([](TokenizerModel& model) { std::swap(model.tokens[7], model.tokens[8]); }) == 0);
  BOOST_TEST(size_for([](TokenizerModel& model) { model.ignore_merges = true; }) == 0);
}

BOOST_AUTO_TEST_CASE(a_damaged_one_is_not_believed) {
  const Written written;
  for (std::size_t i = 0; i < written.text.size(); ++i) {
    std::string damaged = written.text;
    damaged[i] = static_cast<char>(damaged[i] ^ 1 << i % 8);
    put_file(written.path, damaged);
    BOOST_REQUIRE(read_known_pretokens(written.path, written.model).size() == 0);
    put_file(written.path, written.text.substr(0, i));
    BOOST_REQUIRE(read_known_pretokens(written.path, written.model).size() == 0);
  }
}

BOOST_AUTO_TEST_SUITE_END()
