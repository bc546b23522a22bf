#include "pipeline/sample.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "io/error.h"
#include "pipeline/corpora.h"

using namespace tokmill;
using test::CorpusDirectory;
using Pretokens = std::vector<std::string>;

namespace {

Pretokens frequent(const Corpus& corpus, std::size_t most) {
  return frequent_pretokens(corpus, *make_scanner(Pattern::kGpt2), SpecialTokens({test::kEnd}), most);
}

std::string repeat(const std::string& text, int times) {
  std::string out;
  while (times-- > 0) out += text;
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(sample_test)

BOOST_AUTO_TEST_CASE(the_most_frequent_come_first_and_special_tokens_not_at_all) {
  const CorpusDirectory directory;
  const Corpus corpus = directory.corpus({repeat(" one one two" + test::kEnd, 3000)});
  const Pretokens found = frequent(corpus, 10);
  BOOST_REQUIRE(found.size() >= 2u);
  BOOST_TEST(found[0] == " one");
  BOOST_TEST(found[1] == " two");
  for (const std::string& pretoken : found) BOOST_TEST(pretoken != test::kEnd);
  BOOST_TEST(frequent(corpus, 1) == Pretokens{" one"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(pieces_come_from_all_files_and_their_ends) {
  const CorpusDirectory directory;
  Pretokens texts;
  for (const char* word : {" a", " b", " c", " d"}) texts.push_back(repeat(word, 500'000));
  Pretokens found = frequent(directory.corpus(texts), 4);
  std::sort(found.begin(), found.end());
  BOOST_TEST((found == Pretokens{" a", " b", " c", " d"}));
}

BOOST_AUTO_TEST_CASE(rare_pretokens_and_empty_corpora_give_nothing) {
  const CorpusDirectory directory;
  BOOST_TEST(frequent(directory.corpus({""}), 5).empty());
  // A small corpus is read sixteen times from near its beginning: only what stands at its very end can be
  // rare.
  BOOST_TEST(frequent(directory.corpus({"", "x"}), 5).size() <= 1u);
}

BOOST_AUTO_TEST_CASE(a_file_that_became_shorter_is_an_error) {
  const CorpusDirectory directory;
  const Corpus corpus = directory.corpus({repeat("text ", 1000)});
  directory.put("corpus/0.txt", "short");
  BOOST_CHECK_EXCEPTION(frequent(corpus, 5), Error, [](const Error& error) {
    return std::string(error.what()).find("0.txt") != std::string::npos;
  });
}

BOOST_AUTO_TEST_SUITE_END()
