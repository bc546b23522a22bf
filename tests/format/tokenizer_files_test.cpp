#include "format/tokenizer_files.h"

#include <boost/test/unit_test.hpp>

#include "format/gpt2_files.h"
#include "format/hf_json.h"
#include "format/models.h"
#include "io/scratch.h"

using namespace tokmill;
using namespace tokmill::test;
namespace fs = std::filesystem;

namespace {

const std::vector<std::string> kSpecials = {"<|x|>"};

TokenizerModel some_model(std::uint64_t seed = 42) {
  Random random(seed);
  return random_model(random, 20, kSpecials, Place::kFirst);
}

void put_pair(const ScratchDirectory& scratch, const TokenizerModel& model) {
  put_file(scratch / "vocab.json", vocab_json(model));
  put_file(scratch / "merges.txt", merges_txt(model));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(tokenizer_files_test)

BOOST_AUTO_TEST_CASE(a_tokenizer_json_is_read_under_any_name) {
  const ScratchDirectory scratch;
  put_file(scratch / "tokenizer.json", hf_json(some_model()));
  put_file(scratch / "other", hf_json(some_model()));
  BOOST_TEST((read_tokenizer(scratch / "tokenizer.json", {}) == some_model()));
  BOOST_TEST((read_tokenizer(scratch / "other", {}) == some_model()));
  BOOST_TEST((read_tokenizer(scratch.path(), {}) == some_model()));
  BOOST_TEST((read_tokenizer(scratch.path() + "/", {}) == some_model()));
}

BOOST_AUTO_TEST_CASE(a_pair_is_read_from_its_directory_or_its_vocabulary) {
  const ScratchDirectory scratch;
  put_pair(scratch, some_model());
  BOOST_TEST((read_tokenizer(scratch.path(), kSpecials) == some_model()));
  BOOST_TEST((read_tokenizer(scratch / "vocab.json", kSpecials) == some_model()));
  BOOST_TEST(read_tokenizer(scratch.path(), {}).specials.empty());
}

BOOST_AUTO_TEST_CASE(a_tokenizer_json_goes_before_a_pair) {
  const ScratchDirectory scratch;
  put_pair(scratch, some_model(1));
  put_file(scratch / "tokenizer.json", hf_json(some_model(2)));
  BOOST_TEST((read_tokenizer(scratch.path(), {}) == some_model(2)));
  BOOST_TEST((read_tokenizer(scratch / "vocab.json", kSpecials) == some_model(1)));
}

BOOST_AUTO_TEST_CASE(more_special_tokens_may_be_named) {
  const ScratchDirectory scratch;
  put_file(scratch / "tokenizer.json", hf_json(some_model()));
  const std::vector<std::string> more = {"<|x|>", "<|y|>"};
  TokenizerModel expected = some_model();
  expected.tokens.push_back("<|y|>");
  expected.specials.push_back({"<|y|>", static_cast<std::uint32_t>(expected.tokens.size() - 1)});
  BOOST_TEST((read_tokenizer(scratch.path(), more) == expected));
  BOOST_TEST((read_tokenizer(scratch / "tokenizer.json", more) == expected));
}

BOOST_AUTO_TEST_CASE(what_is_no_tokenizer_is_an_error_that_names_it) {
  const ScratchDirectory scratch;
  const auto error = [](const std::string& path) { return error_of([&] { read_tokenizer(path, {}); }); };
  BOOST_TEST(says(error(scratch / "missing"), scratch / "missing: there is no such tokenizer"));
  BOOST_TEST(says(error(scratch.path()), scratch.path() + ": holds neither tokenizer.json nor vocab.json"));
  put_file(scratch / "vocab.json", "{}");
  BOOST_TEST(says(error(scratch.path()), scratch.path() + ": holds neither"));
  BOOST_TEST(says(error(scratch / "vocab.json"), scratch / "merges.txt: cannot be opened"));
  put_file(scratch / "text", "some text");
  BOOST_TEST(says(error(scratch / "text"), scratch / "text: is not a tokenizer.json"));
}

BOOST_AUTO_TEST_SUITE_END()
