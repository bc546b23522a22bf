#include "pipeline/verify.h"

#include <boost/test/unit_test.hpp>

#include "io/error.h"
#include "pipeline/count.h"
#include "pipeline/shards.h"
#include "pipeline/train.h"

using namespace tokmill;
using test::CorpusDirectory;
using test::error_of;
using test::kEnd;
using test::Random;
using test::small_model;
using test::tells;
using test::with_jobs;

namespace {

// Flips single bits anywhere in the files of a directory; each must be found, and the file named.
void check_flips(Random& random, const std::string& path, int flips) {
  std::vector<std::string> files;
  if (std::filesystem::is_directory(path)) {
    for (const auto& entry : std::filesystem::directory_iterator(path))
      files.push_back(entry.path().string());
    std::sort(files.begin(), files.end());
  } else {
    files = {path};
  }
  for (int i = 0; i < flips; ++i) {
    const std::string& file = files[static_cast<std::size_t>(i) % files.size()];
    const std::string before = test::take_file(file);
    if (before.empty()) continue;
    std::string damaged = before;
    const std::size_t at = random.below(damaged.size()), bit = random.below(8);
    damaged[at] = static_cast<char>(damaged[at] ^ 1 << bit);
    test::put_file(file, damaged);
    const std::string error = error_of([&] { run_verify(path, nullptr, with_jobs(2)); });
    BOOST_TEST(tells(error, file + ": "),
               file << ", bit " << bit << " of byte " << at << ": '" << error << "'");
    test::put_file(file, before);
  }
  BOOST_CHECK_NO_THROW(run_verify(path, nullptr, with_jobs(2)));
}

EncodeOptions options_of(SeparatorRule rule, std::uint64_t shard_size, bool compressed = true) {
  EncodeOptions options;
  options.rule = rule;
  options.shard_size = shard_size;
  options.frame_size = 128;
  options.compressed = compressed;
  return options;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(verify_test)

BOOST_AUTO_TEST_CASE(sound_shards_agree_with_their_corpus) {
  Random random(1);
  const CorpusDirectory directory;
  int run = 0;
  for (const Pattern pattern : {Pattern::kGpt2, Pattern::kWhitespace, Pattern::kNone}) {
    for (const SeparatorRule rule : {SeparatorRule::kAppend, SeparatorRule::kPrepend, SeparatorRule::kNone}) {
      for (const std::uint64_t shard_size : {200u, 1u << 20}) {
        const Corpus corpus = directory.corpus(test::random_files(random));
        const std::string output = directory / std::to_string(run++);
        const RunReport made = run_encode(corpus, small_model({kEnd, "<|other|>"}, pattern),
                                          options_of(rule, shard_size, run % 2 == 0), with_jobs(2), output);
        RunReport report;
        BOOST_CHECK_NO_THROW(report = verify_shards(output, &corpus, with_jobs(2)));
        BOOST_TEST(report.tokens == made.tokens);
        BOOST_TEST(report.documents == made.documents);
        BOOST_TEST(report.bytes == corpus.bytes());
        BOOST_CHECK_NO_THROW(verify_shards(output, nullptr, with_jobs(1)));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(any_flipped_bit_of_shards_is_found) {
  Random random(2);
  const CorpusDirectory directory;
  const Corpus corpus = directory.corpus({test::random_text(random, 600)});
  for (const bool compressed : {true, false}) {
    const std::string output = directory / (compressed ? "zst" : "bin");
    run_encode(corpus, small_model(), options_of(SeparatorRule::kAppend, 1'500, compressed), with_jobs(1),
               output);
    check_flips(random, output, 120);
  }
}

BOOST_AUTO_TEST_CASE(any_flipped_bit_of_a_tokenizer_directory_is_found) {
  Random random(3);
  const CorpusDirectory directory;
  TrainOptions options;
  options.vocabulary_size = 300;
  run_train(directory.corpus({test::random_text(random, 300)}), {}, options, with_jobs(1), directory / "out");
  check_flips(random, directory / "out", 100);
}

BOOST_AUTO_TEST_CASE(any_flipped_bit_of_a_table_is_found) {
  Random random(4);
  const CorpusDirectory directory;
  run_count(directory.corpus({test::random_text(random, 300)}), {}, with_jobs(1), directory / "table");
  check_flips(random, directory / "table", 200);
  BOOST_TEST(verify_table(directory / "table").distinct > 10);
}

BOOST_AUTO_TEST_CASE(files_that_are_missing_are_named) {
  const CorpusDirectory directory;
  const Corpus corpus = directory.corpus({"the low er est"});
  for (const char* name : {"manifest.json", "tokenizer.json", "shard-00000.idx", "shard-00000.bin.zst"}) {
    const std::string output = directory / name;
    run_encode(corpus, small_model(), {}, with_jobs(1), output);
    std::filesystem::remove(output + "/" + name);
    BOOST_TEST(tells(error_of([&] { run_verify(output, nullptr, with_jobs(1)); }), name));
  }
  BOOST_CHECK_THROW(run_verify(directory / "nothing", nullptr, with_jobs(1)), Error);
}

BOOST_AUTO_TEST_CASE(another_corpus_is_told_from_the_one_encoded) {
  Random random(5);
  const CorpusDirectory directory;
  const std::vector<std::string> texts = {"newest" + kEnd + "the low", test::random_text(random, 200), "end"};
  run_encode(directory.corpus(texts), small_model(), options_of(SeparatorRule::kAppend, 300), with_jobs(1),
             directory / "out");
  const auto error_against = [&](const std::vector<std::string>& other) {
    const Corpus corpus = directory.corpus(other);
    return error_of([&] { verify_shards(directory / "out", &corpus, with_jobs(2)); });
  };
  BOOST_TEST(error_against(texts).empty());
  for (int i = 0; i < 60; ++i) {
    std::vector<std::string> other = texts;
    std::string& text = other[random.below(other.size())];
    const std::size_t at = random.below(text.size());
    text[at] = static_cast<char>(text[at] ^ 1 << random.below(8));
    BOOST_TEST(!error_against(other).empty());
  }
  std::vector<std::string> other = texts;
  other[0][10] = '_';  // within the special token
  BOOST_TEST(tells(error_against(other), "0.txt: byte 10: "));
  other = texts;
  other[2] = "enD";
  BOOST_TEST(tells(error_against(other), "2.txt: byte 2: "));
  std::swap(other[0], other[2]);
  BOOST_TEST(!error_against(other).empty());
  other = texts;
  other.push_back("");
  BOOST_TEST(!error_against(other).empty());
  other = texts;
  other[1] += "x";
  BOOST_TEST(!error_against(other).empty());
}

BOOST_AUTO_TEST_CASE(shards_that_were_changed_with_their_checksums_are_told_from_the_corpus) {
  // What checksums cannot find: shards made of one text, with a manifest that names another of that size.
  const CorpusDirectory directory;
  const std::vector<std::string> texts = {"the low" + kEnd + "er est"};
  run_encode(directory.corpus({"the LOW" + kEnd + "er est"}), small_model(), {}, with_jobs(1),
             directory / "out");
  const Corpus corpus = directory.corpus(texts);
  BOOST_CHECK_NO_THROW(verify_shards(directory / "out", nullptr, with_jobs(1)));
  BOOST_TEST(tells(error_of([&] { verify_shards(directory / "out", &corpus, with_jobs(1)); }),
                   corpus.inputs[0].path + ": byte 4: "));
}

BOOST_AUTO_TEST_CASE(the_kind_of_thing_is_told_from_the_path) {
  const CorpusDirectory directory;
  const Corpus corpus = directory.corpus({"the low er est"});
  run_count(corpus, {}, with_jobs(1), directory / "table");
  BOOST_TEST(run_verify(directory / "table", nullptr, with_jobs(1)).distinct == 4);
  BOOST_CHECK_THROW(run_verify(directory / "table", &corpus, with_jobs(1)), UsageError);
  BOOST_CHECK_THROW(run_verify(corpus.inputs[0].path, nullptr, with_jobs(1)), Error);
  run_encode(corpus, small_model(), {}, with_jobs(1), directory / "shards");
  BOOST_TEST(run_verify(directory / "shards", &corpus, with_jobs(1)).shards == 1);
}

BOOST_AUTO_TEST_SUITE_END()
