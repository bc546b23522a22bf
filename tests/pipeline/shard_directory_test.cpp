#include "pipeline/shard_directory.h"

#include <boost/test/unit_test.hpp>

#include "io/error.h"
#include "pipeline/shards.h"

using namespace tokmill;
using test::CorpusDirectory;
using test::error_of;
using test::says;
using test::small_model;
using test::tells;

BOOST_AUTO_TEST_SUITE(shard_directory_test)

BOOST_AUTO_TEST_CASE(holds_the_manifest_and_the_tokenizer) {
  const CorpusDirectory scratch;
  const TokenizerModel model = small_model();
  run_encode(scratch.corpus({"the low"}), model, {}, {}, scratch / "out");
  const ShardDirectory directory = ShardDirectory::open(scratch / "out");
  BOOST_TEST((directory.model == model));
  BOOST_REQUIRE(directory.manifest.shards.size() == 1);
  BOOST_TEST(directory.manifest.vocabulary == model.tokens.size());
  BOOST_TEST(directory.stem(directory.manifest.shards[0]) == scratch / "out/shard-00000");
}

BOOST_AUTO_TEST_CASE(without_a_manifest_there_are_no_finished_shards) {
  const CorpusDirectory scratch;
  scratch.put("out/shard-00000.bin.zst", "");
  BOOST_TEST(tells(error_of([&] { ShardDirectory::open(scratch / "out"); }), (scratch / "out") + ": "));
  BOOST_TEST(
      says(error_of([&] { ShardDirectory::open(scratch / "missing"); }), (scratch / "missing") + ": "));
}

BOOST_AUTO_TEST_CASE(a_tokenizer_that_is_not_the_one_used_is_named) {
  const CorpusDirectory scratch;
  const std::string tokenizer = scratch / "out/tokenizer.json";
  run_encode(scratch.corpus({"the low"}), small_model(), {}, {}, scratch / "out");
  test::put_file(tokenizer, test::take_file(tokenizer) + "\n");
  BOOST_TEST(tells(error_of([&] { ShardDirectory::open(scratch / "out"); }), tokenizer + ": "));
  std::filesystem::remove(tokenizer);
  BOOST_TEST(tells(error_of([&] { ShardDirectory::open(scratch / "out"); }), tokenizer + ": "));
}

BOOST_AUTO_TEST_SUITE_END()
