#include "format/gpt2_files.h"

#include <boost/test/unit_test.hpp>

#include "format/models.h"
#include "io/scratch.h"

using namespace tokmill;
using namespace tokmill::test;

namespace {

/// A pair of files in a scratch directory.
struct Pair {
  ScratchDirectory scratch;
  std::string vocab = scratch / "vocab.json";
  std::string merges = scratch / "merges.txt";

  Pair(std::string_view vocab_text, std::string_view merges_text) {
    put_file(vocab, vocab_text);
    put_file(merges, merges_text);
  }
  TokenizerModel read(const std::vector<std::string>& specials = {}) const {
    return read_gpt2_files(vocab, merges, specials);
  }
  std::string error() const {
    return error_of([&] { read(); });
  }
};

const std::string kVocab = R"({"a": 0, "b": 1, "ab": 2, "#": 3, "##": 4, "#version:": 5, "#a": 6})";

std::vector<TokenizerModel::Merge> merges_of(const std::string& text) {
  return Pair(kVocab, text).read().merges;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(gpt2_files_test)

BOOST_AUTO_TEST_CASE(are_written_as_gpt2_published_them) {
  TokenizerModel model;
  model.tokens = {"<|end of \"text\"|>", "t", "h", " ", "", " t", " th", "\n"};
  model.specials = {{"<|end of \"text\"|>", 0}};
  model.merges = {{3, 1, 5}, {5, 2, 6}};
  BOOST_TEST(vocab_json(model) ==
             "{\n\"<|end of \\\"text\\\"|>\": 0,\n\"t\": 1,\n\"h\": 2,\n\"\u0120\": 3,\n\"\u0120t\": 5,\n"
             "\"\u0120th\": 6,\n\"\u010A\": 7\n}\n");
  BOOST_TEST(merges_txt(model) == "#version: 0.2\n\u0120 t\n\u0120t h\n");
}

BOOST_AUTO_TEST_CASE(what_is_written_is_read_back) {
  Random random(40);
  for (const Place place : {Place::kFirst, Place::kAfterBytes, Place::kLast}) {
    for (const std::size_t merges : {0u, 1u, 500u}) {
      const TokenizerModel model = random_model(random, merges, hard_specials(), place);
      const TokenizerModel read = Pair(vocab_json(model), merges_txt(model)).read(hard_specials());
      BOOST_TEST(read.tokens == model.tokens, boost::test_tools::per_element());
      BOOST_TEST(read.merges == model.merges, boost::test_tools::per_element());
      BOOST_TEST((read == model));
    }
  }
}

BOOST_AUTO_TEST_CASE(ids_may_have_gaps) {
  TokenizerModel model;
  model.tokens = {"", "a", "", "", "b", "ab"};
  model.merges = {{1, 4, 5}};
  BOOST_TEST((Pair(vocab_json(model), merges_txt(model)).read() == model));
}

BOOST_AUTO_TEST_CASE(specials_that_the_vocabulary_lacks_get_the_next_ids) {
  const TokenizerModel model = Pair(kVocab, "").read({"<|x|>", "ab", "<|y|>"});
  BOOST_TEST(model.tokens.size() == 9);
  BOOST_TEST(model.find_special("<|x|>")->id == 7);
  BOOST_TEST(model.find_special("ab")->id == 2);
  BOOST_TEST(model.find_special("<|y|>")->id == 8);
}

BOOST_AUTO_TEST_CASE(merges_may_end_their_lines_in_any_way) {
  const std::vector<TokenizerModel::Merge> expected = {{0, 1, 2}, {3, 3, 4}};
  for (const char* text : {"#version: 0.2\na b\n# #\n", "#version: 0.2\r\na b\r\n# #\r\n", "a b\n# #",
                           "#version: 0.2\na b\r\n\n# #\r\n\r\n", "\na b\n# #\n"}) {
    BOOST_TEST(merges_of(text) == expected, boost::test_tools::per_element());
  }
  BOOST_TEST(merges_of("").empty());
  BOOST_TEST(merges_of("#version: 0.2").empty());
}

BOOST_AUTO_TEST_CASE(only_a_version_in_the_first_line_is_no_merge) {
  const std::vector<TokenizerModel::Merge> expected = {{3, 3, 4}, {3, 0, 6}};
  BOOST_TEST(merges_of("# #\n# a\n") == expected, boost::test_tools::per_element());
  BOOST_TEST(merges_of("#version: 0.2\n# #\n# a\n") == expected, boost::test_tools::per_element());
  BOOST_TEST(
      says(Pair(kVocab, "a b\n#version: 0.2\n").error(), "line 2: the token '0.2' is not in the vocab"));
}

BOOST_AUTO_TEST_CASE(a_bad_merge_is_named_with_its_file_and_line) {
  const auto error = [](const char* merges) {
    const Pair pair(kVocab, merges);
    const std::string words = pair.error();
    BOOST_TEST(words.starts_with(pair.merges + ": "), words);
    return words;
  };
  BOOST_TEST(says(error("#version: 0.2\na b\nab\n"), "line 3: not two tokens and a space"));
  BOOST_TEST(says(error("ab"), "line 1: not two tokens and a space"));
  BOOST_TEST(says(error("#version: 0.2\r\n\r\na c\r\n"), "line 3: the token 'c' is not in the vocabulary"));
  BOOST_TEST(says(error("a b\nb a\n"), "line 2: the token 'ba' is not in the vocabulary"));
  BOOST_TEST(says(error("a b \n"), "line 1: the token 'b ' is not in the vocabulary"));
  BOOST_TEST(says(error("a  b\n"), "line 1: the token ' b' is not in the vocabulary"));
}

BOOST_AUTO_TEST_CASE(a_bad_vocabulary_is_named) {
  for (const char* text : {"", "[]", "{\"a\"", "{\"a\": \"0\"}", "{\"a\": -1}", "{\"a\": 0.5}",
                           "{\"a\": null}", "{\"a\": 0, \"b\": 0}", "{\"a\": 0, \"a\": 1}", "{\"\": 0}",
                           "{\"a\": 99999999999}", "{\"\xFF\": 0}", "{\"a\": 0} x"}) {
    const Pair pair(text, "");
    BOOST_TEST(pair.error().starts_with(pair.vocab + ": "), text << ": " << pair.error());
  }
}

BOOST_AUTO_TEST_CASE(missing_files_are_named) {
  const Pair pair(kVocab, "");
  std::filesystem::remove(pair.merges);
  BOOST_TEST(says(pair.error(), pair.merges + ": cannot be opened"));
  std::filesystem::remove(pair.vocab);
  BOOST_TEST(says(pair.error(), pair.vocab + ": cannot be opened"));
}

BOOST_AUTO_TEST_SUITE_END()
