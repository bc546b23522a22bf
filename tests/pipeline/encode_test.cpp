#include "pipeline/encode.h"

#include <boost/test/unit_test.hpp>

#include "io/error.h"
#include "pipeline/shards.h"

using namespace tokmill;
using test::CorpusDirectory;
using test::Encoded;
using test::error_of;
using test::kEnd;
using test::listing;
using test::Random;
using test::read_shards;
using test::says;
using test::slow_encode;
using test::small_model;
using test::tells;
using test::with_jobs;

namespace {

const std::string kOther = "<|other|>";

// Every file of a directory and its bytes, but not the manifest, which names the corpus's times.
std::string contents(const std::string& path) {
  std::string out;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    const std::string name = entry.path().filename().string();
    if (name != "manifest.json") out += name + test::take_file(entry.path().string());
  }
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(encode_test)

BOOST_AUTO_TEST_CASE(shards_hold_what_a_slow_encoder_gives) {
  Random random(1);
  const CorpusDirectory directory;
  int run = 0;
  for (const Pattern pattern : {Pattern::kGpt2, Pattern::kWhitespace, Pattern::kNone}) {
    const TokenizerModel model = small_model({kEnd, kOther}, pattern);
    const std::vector<std::string> texts = test::random_files(random);
    const Corpus corpus = directory.corpus(texts);
    for (const SeparatorRule rule : {SeparatorRule::kAppend, SeparatorRule::kPrepend, SeparatorRule::kNone}) {
      const Encoded expected = slow_encode(texts, model, rule);
      for (const std::uint64_t shard_size : {150u, 2'000u, 1u << 20}) {
        EncodeOptions options;
        options.rule = rule;
        options.shard_size = shard_size;
        options.compressed = run % 2 == 0;
        options.frame_size = 256;
        if (run % 3 == 0) options.dtype = "uint32";
        const std::string output = directory / std::to_string(run++);
        const RunReport report = run_encode(corpus, model, options, with_jobs(run % 2 == 0 ? 1 : 2), output);
        const Encoded got = read_shards(output);
        BOOST_TEST((got.ids == expected.ids),
                   "ids, rule " << separator_rule_name(rule) << ", " << shard_size);
        BOOST_TEST((got.ends == expected.ends),
                   "ends, rule " << separator_rule_name(rule) << ", " << shard_size);
        BOOST_TEST(report.tokens == expected.ids.size());
        BOOST_TEST(report.documents == expected.ends.size());
        BOOST_TEST(report.bytes == corpus.bytes());
        BOOST_TEST(tells(listing(output), options.compressed ? "shard-00000.bin.zst" : "shard-00000.bin"));
        BOOST_TEST(!std::filesystem::exists(output + "/.run"));
        BOOST_TEST(ShardDirectory::open(output).manifest.format.id_bytes == (options.dtype ? 4 : 2));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_document_that_begins_where_a_shard_begins_gets_its_separator) {
  const CorpusDirectory directory;
  std::string text;
  for (int i = 0; i < 20; ++i) text += std::string(static_cast<std::size_t>(i % 7), 'a') + " b" + kEnd;
  const TokenizerModel model = small_model();
  for (const SeparatorRule rule : {SeparatorRule::kAppend, SeparatorRule::kPrepend, SeparatorRule::kNone}) {
    for (const std::uint64_t shard_size : {1u, 13u, 15u, 16u, 17u, 18u, 40u}) {
      EncodeOptions options;
      options.rule = rule;
      options.shard_size = shard_size;
      const std::string output = directory / "out";
      run_encode(directory.corpus({text}), model, options, with_jobs(1), output);
      BOOST_REQUIRE((read_shards(output) == slow_encode({text}, model, rule)));
      std::filesystem::remove_all(output);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_file_is_one_document_where_there_is_no_separator) {
  const CorpusDirectory directory;
  Random random(2);
  const std::vector<std::string> texts = {test::random_text(random, 300, kOther), "", "short"};
  EncodeOptions options;
  options.rule = SeparatorRule::kNone;
  options.shard_size = 100;
  for (const std::vector<std::string>& specials : {std::vector<std::string>{}, {kOther, "<|more|>"}}) {
    const TokenizerModel model = small_model(specials);
    run_encode(directory.corpus(texts), model, options, with_jobs(2), directory / "out");
    const Encoded got = read_shards(directory / "out");
    BOOST_TEST((got == slow_encode(texts, model, options.rule, "")));
    BOOST_TEST(got.ends.size() == 2);
    std::filesystem::remove_all(directory / "out");
  }
}

BOOST_AUTO_TEST_CASE(the_separator_is_chosen_or_asked_for) {
  const CorpusDirectory directory;
  const Corpus corpus = directory.corpus({"the low"});
  const auto separator = [&](const std::vector<std::string>& specials,
                             std::optional<std::string> given = {}) {
    EncodeOptions options;
    options.separator = std::move(given);
    run_encode(corpus, small_model(specials), options, with_jobs(1), directory / "out");
    const std::string chosen = ShardDirectory::open(directory / "out").manifest.separator;
    std::filesystem::remove_all(directory / "out");
    return chosen;
  };
  BOOST_TEST(separator({kOther, kEnd}) == kEnd);
  BOOST_TEST(separator({kOther}) == kOther);
  BOOST_TEST(separator({kOther, kEnd}, kOther) == kOther);
  BOOST_CHECK_THROW(separator({}), UsageError);
  BOOST_CHECK_THROW(separator({kOther, "<|more|>"}), UsageError);
  BOOST_CHECK_THROW(separator({kEnd}, kOther), UsageError);
  BOOST_TEST(listing(directory / "out").empty());
}

BOOST_AUTO_TEST_CASE(the_bytes_do_not_depend_on_the_number_of_workers) {
  Random random(3);
  const CorpusDirectory directory;
  const Corpus corpus = directory.corpus(test::random_files(random));
  const TokenizerModel model = small_model();
  EncodeOptions options;
  options.shard_size = 500;
  std::string first;
  for (const unsigned jobs : {1u, 2u, 5u}) {
    const std::string output = directory / std::to_string(jobs);
    run_encode(corpus, model, options, with_jobs(jobs), output);
    const std::string all = test::take_file(output + "/manifest.json") + contents(output);
    if (first.empty()) first = all;
    BOOST_TEST((all == first));
  }
}

BOOST_AUTO_TEST_CASE(a_dry_run_writes_nothing_and_reports_the_same) {
  Random random(4);
  const CorpusDirectory directory;
  const Corpus corpus = directory.corpus(test::random_files(random));
  const TokenizerModel model = small_model();
  EncodeOptions options;
  options.shard_size = 500;
  options.dry_run = true;
  const RunReport dry = run_encode(corpus, model, options, with_jobs(2), directory / "out");
  BOOST_TEST(!std::filesystem::exists(directory / "out"));
  options.dry_run = false;
  const RunReport wet = run_encode(corpus, model, options, with_jobs(2), directory / "out");
  BOOST_TEST(dry.bytes == wet.bytes);
  BOOST_TEST(dry.documents == wet.documents);
  BOOST_TEST(dry.pretokens == wet.pretokens);
  BOOST_TEST(dry.tokens == wet.tokens);
  BOOST_TEST(dry.shards == wet.shards);
  BOOST_TEST(dry.tokens > 0);
}

BOOST_AUTO_TEST_CASE(a_run_that_is_done_is_not_done_again) {
  const CorpusDirectory directory;
  const Corpus corpus = directory.corpus({"the low"});
  const TokenizerModel model = small_model();
  const RunReport first = run_encode(corpus, model, {}, with_jobs(1), directory / "out");
  const std::string before = test::take_file(directory / "out/manifest.json");
  const RunReport again = run_encode(corpus, model, {}, with_jobs(2), directory / "out");
  BOOST_TEST((!first.already_done && again.already_done));
  BOOST_TEST(again.tokens == first.tokens);
  EncodeOptions other;
  other.rule = SeparatorRule::kPrepend;
  BOOST_TEST(tells(error_of([&] { run_encode(corpus, model, other, with_jobs(1), directory / "out"); }),
                   (directory / "out") + ": "));
  BOOST_TEST(test::take_file(directory / "out/manifest.json") == before);
}

BOOST_AUTO_TEST_CASE(a_run_goes_on_with_the_shards_that_are_sound) {
  Random random(5);
  const CorpusDirectory directory;
  const Corpus corpus = directory.corpus({test::random_text(random, 2'000)});
  const TokenizerModel model = small_model();
  EncodeOptions options;
  options.shard_size = 1'000;
  run_encode(corpus, model, options, with_jobs(1), directory / "whole");

  // The first attempt fails at the fourth shard; then one of those done is damaged.
  const std::string output = directory / "out", obstacle = output + "/shard-00003.bin.zst.partial";
  std::filesystem::create_directories(obstacle + "/in the way");
  BOOST_TEST(
      says(error_of([&] { run_encode(corpus, model, options, with_jobs(1), output); }), "shard-00003"));
  BOOST_TEST(!std::filesystem::exists(output + "/manifest.json"));
  BOOST_TEST(std::filesystem::exists(output + "/shard-00002.idx"));
  std::filesystem::remove_all(obstacle);
  const auto stamp = std::filesystem::file_time_type() + std::chrono::hours(1);
  std::string damaged = test::take_file(output + "/shard-00001.bin.zst");
  damaged.back() = static_cast<char>(damaged.back() ^ 1);
  test::put_file(output + "/shard-00001.bin.zst", damaged);
  for (int i = 0; i < 3; ++i) {
    std::filesystem::last_write_time(output + "/shard-0000" + std::to_string(i) + ".bin.zst", stamp);
  }
  run_encode(corpus, model, options, with_jobs(1), output);
  for (int i = 0; i < 3; ++i) {  // what was sound has not been written again
    const auto time =
        std::filesystem::last_write_time(output + "/shard-0000" + std::to_string(i) + ".bin.zst");
    BOOST_TEST((time == stamp) == (i != 1));
  }
  BOOST_TEST((contents(output) == contents(directory / "whole")));
  BOOST_TEST(test::take_file(output + "/manifest.json") ==
             test::take_file(directory / "whole/manifest.json"));
}

BOOST_AUTO_TEST_CASE(a_byte_that_cannot_be_spelled_is_named_with_its_place) {
  const CorpusDirectory directory;
  TokenizerModel model;
  model.tokens = {"a", " "};
  add_special(model, kEnd);
  const std::string text = std::string(2'000, 'a') + kEnd + " aaa aaz a";
  const Corpus corpus = directory.corpus({"aa a", text});
  for (const std::uint64_t shard_size : {100u, 1u << 20}) {
    EncodeOptions options;
    options.shard_size = shard_size;
    const std::string error =
        error_of([&] { run_encode(corpus, model, options, with_jobs(1), directory / "out"); });
    BOOST_TEST(tells(error, corpus.inputs[1].path + ": byte " + std::to_string(text.find('z')) + ": "));
    BOOST_TEST(!std::filesystem::exists(directory / "out/manifest.json"));
    BOOST_TEST(!says(listing(directory / "out"), ".partial"));
    std::filesystem::remove_all(directory / "out");
  }
}

BOOST_AUTO_TEST_CASE(ids_that_do_not_fit_are_refused_before_any_work) {
  const CorpusDirectory directory;
  const Corpus corpus = directory.corpus({"the low", kEnd});
  TokenizerModel model = small_model();
  while (model.tokens.size() < 65'540) model.tokens.push_back("token " + std::to_string(model.tokens.size()));
  add_special(model, kOther);
  EncodeOptions options;
  options.separator = kOther;
  options.dtype = "uint16";
  const auto run = [&] { run_encode(corpus, model, options, with_jobs(1), directory / "out"); };
  BOOST_CHECK_THROW(run(), UsageError);
  BOOST_TEST(!std::filesystem::exists(directory / "out"));
  options.dtype = "uint8";
  BOOST_CHECK_THROW(run(), UsageError);
  options.dtype.reset();
  run();
  BOOST_TEST((read_shards(directory / "out") ==
              slow_encode({"the low", kEnd}, model, SeparatorRule::kAppend, kOther)));
}

BOOST_AUTO_TEST_CASE(a_corpus_of_empty_files_makes_no_shards) {
  const CorpusDirectory directory;
  const RunReport report =
      run_encode(directory.corpus({"", ""}), small_model(), {}, with_jobs(2), directory / "out");
  BOOST_TEST(report.shards == 0);
  BOOST_TEST((read_shards(directory / "out") == Encoded{}));
}

BOOST_AUTO_TEST_SUITE_END()
