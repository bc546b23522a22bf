#include "pipeline/train.h"

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <map>
#include <set>

#include "bpe/counting.h"
#include "bpe/naive.h"
#include "format/hf_json.h"
#include "format/json_text.h"
#include "format/known_pretokens.h"
#include "format/merge_checkpoint.h"
#include "io/error.h"
#include "pipeline/corpora.h"

using namespace tokmill;
using test::CorpusDirectory;
using test::error_of;
using test::kEnd;
using test::listing;
using test::Random;
using test::tells;

namespace {

const std::string kOther = "<|other|>";
const std::string kFiles =
    "merges.txt pretokens.bin tokenizer.json tokenizer.tiktoken training.json vocab.json";

TrainOptions options_of(std::uint64_t vocabulary_size = 300) {
  TrainOptions options;
  options.count.specials = {kEnd, kOther};
  options.vocabulary_size = vocabulary_size;
  return options;
}

RunOptions with_jobs(unsigned jobs) {
  RunOptions run;
  run.jobs = jobs;
  return run;
}

std::vector<test::SpelledMerge> merges_of(const TokenizerModel& model) {
  std::vector<test::SpelledMerge> merges;
  for (const auto& [left, right, result] : model.merges) {
    BOOST_REQUIRE(model.tokens[left] + model.tokens[right] == model.tokens[result]);
    merges.emplace_back(model.tokens[left], model.tokens[right]);
  }
  return merges;
}

test::Words slow_count(const std::vector<std::string>& texts) {
  const SpecialTokens specials({kEnd, kOther});
  const auto scanner = make_scanner(Pattern::kGpt2);
  test::Counts counts;
  for (const std::string& text : texts) {
    for (const test::Piece& piece : test::pieces_of(*scanner, specials, text)) {
      if (piece.special < 0) ++counts[text.substr(piece.begin, piece.end - piece.begin)];
    }
  }
  return {counts.begin(), counts.end()};
}

// Everything that a tokenizer is.
std::string tokenizer_at(const std::string& output) {
  std::string files;
  for (const char* name :
       {"merges.txt", "pretokens.bin", "tokenizer.json", "tokenizer.tiktoken", "vocab.json"}) {
    files += test::take_file(output + "/" + name);
  }
  return files;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(train_test)

BOOST_AUTO_TEST_CASE(learns_what_the_naive_trainer_learns) {
  Random random(1);
  const CorpusDirectory directory;
  const std::vector<std::string> texts = {test::random_text(random, 3'000), test::random_text(random, 200)};
  const RunReport report =
      run_train(directory.corpus(texts), {}, options_of(), with_jobs(2), directory / "out");
  BOOST_TEST(listing(directory / "out") == kFiles);
  const TokenizerModel model = read_hf_json(directory / "out/tokenizer.json");
  BOOST_TEST((merges_of(model) == test::naive_train(slow_count(texts), 300 - 256 - 2)));
  BOOST_TEST(model.tokens.size() == 300);
  BOOST_TEST(report.extra.at("vocabulary").to_number<std::uint64_t>() == 300);
  BOOST_TEST(report.extra.at("merges").to_number<std::uint64_t>() == 42);
  BOOST_TEST(report.stages.size() == 3);
  BOOST_TEST(report.bytes == texts[0].size() + texts[1].size());
}

BOOST_AUTO_TEST_CASE(leaves_the_ids_of_frequent_pretokens) {
  Random random(9);
  const CorpusDirectory directory;
  const std::vector<std::string> texts = {test::random_text(random, 5'000)};
  const Corpus corpus = directory.corpus(texts);
  for (const TieBreak tie_break : {TieBreak::kBytes, TieBreak::kHf}) {
    TrainOptions options = options_of(320);
    options.tie_break = tie_break;
    const std::string output = directory / (tie_break == TieBreak::kHf ? "hf" : "bytes");
    run_train(corpus, {}, options, with_jobs(1), output);
    const TokenizerModel model = read_hf_json(output + "/tokenizer.json");
    const KnownPretokens known = read_known_pretokens(output, model);
    const test::Words words = slow_count(texts);
    const std::map<std::string, std::uint64_t> counts(words.begin(), words.end());
    BOOST_TEST(known.size() == counts.size());
    const test::NaiveEncoder naive(model);
    std::uint64_t last = UINT64_MAX;
    for (std::size_t i = 0; i < known.size(); ++i) {
      std::string pretoken;
      for (const std::uint32_t id : known[i]) pretoken += model.tokens[id];
      const std::uint64_t count = counts.at(pretoken);
      BOOST_TEST(count <= last);
      last = count;
      BOOST_TEST(naive.encode(pretoken) == std::vector<std::uint32_t>(known[i].begin(), known[i].end()),
                 boost::test_tools::per_element());
    }
  }
}

BOOST_AUTO_TEST_CASE(special_tokens_stand_where_they_should) {
  const CorpusDirectory directory;
  const Corpus corpus = directory.corpus({"the cat the hat" + kOther + "the end" + kEnd});
  const auto model_of = [&](SpecialPlace place) {
    TrainOptions options = options_of(260);
    options.special_place = place;
    const std::string output = directory / std::string(special_place_name(place));
    run_train(corpus, {}, options, with_jobs(1), output);
    return read_hf_json(output + "/tokenizer.json");
  };
  const TokenizerModel first = model_of(SpecialPlace::kFirst);
  BOOST_TEST(first.tokens[0] == kEnd);
  BOOST_TEST(first.tokens[1] == kOther);
  BOOST_TEST(first.tokens[2] == std::string(1, '\0'));
  BOOST_TEST(first.tokens[257] == "\xFF");
  const TokenizerModel after = model_of(SpecialPlace::kAfterBytes);
  BOOST_TEST(after.tokens[255] == "\xFF");
  BOOST_TEST(after.tokens[256] == kEnd);
  BOOST_TEST(after.tokens[257] == kOther);
  const TokenizerModel last = model_of(SpecialPlace::kLast);
  BOOST_TEST(last.tokens[258] == kEnd);
  BOOST_TEST(last.tokens[259] == kOther);
  BOOST_TEST((merges_of(first) == merges_of(last)));
  BOOST_TEST((merges_of(first) == merges_of(after)));
  BOOST_TEST(first.find_special(kOther)->id == 1);
  BOOST_TEST(last.find_special(kOther)->id == 259);
}

BOOST_AUTO_TEST_CASE(numbers_and_merges_as_hugging_face_does) {
  Random random(4);
  const CorpusDirectory directory;
  const std::vector<std::string> texts = {test::random_text(random, 3'000)};
  const Corpus corpus = directory.corpus(texts);
  const auto expected = test::naive_train(slow_count(texts), 300 - 256 - 2, 1, TieBreak::kHf);
  for (const SpecialPlace place : {SpecialPlace::kFirst, SpecialPlace::kAfterBytes, SpecialPlace::kLast}) {
    TrainOptions options = options_of();
    options.tie_break = TieBreak::kHf;
    options.special_place = place;
    const std::string output = directory / std::string(special_place_name(place));
    run_train(corpus, {}, options, with_jobs(1), output);
    const TokenizerModel model = read_hf_json(output + "/tokenizer.json");
    BOOST_TEST((merges_of(model) == expected));
    std::vector<std::string> tokens;
    for (const char byte : test::hf_bytes()) tokens.emplace_back(1, byte);
    for (const auto& [left, right] : expected) tokens.push_back(left + right);
    tokens.insert(tokens.begin() + model.find_special(kEnd)->id, {kEnd, kOther});
    BOOST_TEST((model.tokens == tokens));
  }
}

BOOST_AUTO_TEST_CASE(the_result_does_not_depend_on_how_the_work_was_shared) {
  Random random(2);
  const CorpusDirectory directory;
  const Corpus corpus = directory.corpus({test::random_text(random, 2'000), test::random_text(random, 500)});
  std::string first;
  for (const unsigned jobs : {1u, 2u, 5u}) {
    TrainOptions options = options_of();
    options.count.shard_size = 300 * jobs;
    const std::string output = directory / std::to_string(jobs);
    run_train(corpus, {}, options, with_jobs(jobs), output);
    if (first.empty()) first = tokenizer_at(output);
    BOOST_TEST((tokenizer_at(output) == first));
  }
}

BOOST_AUTO_TEST_CASE(a_large_table_is_trained_on_in_threads) {
  Random random(12);
  const CorpusDirectory directory;
  std::string text;
  for (int i = 0; i < 90'000; ++i) {
    text += ' ';
    for (std::size_t k = random.between(3, 9); k > 0; --k) text += "etaoinshrdlu"[random.below(12)];
  }
  const Corpus corpus = directory.corpus({text});
  std::string first;
  for (const unsigned jobs : {1u, 2u, 5u}) {
    const std::string output = directory / std::to_string(jobs);
    const RunReport report = run_train(corpus, {}, options_of(1'000), with_jobs(jobs), output);
    BOOST_REQUIRE(report.distinct > 60'000);  // enough for threads
    if (first.empty()) first = tokenizer_at(output);
    BOOST_TEST((tokenizer_at(output) == first));
  }
}

BOOST_AUTO_TEST_CASE(trains_on_tables_counted_before) {
  Random random(3);
  const CorpusDirectory directory;
  const std::vector<std::string> texts = {test::random_text(random, 800), test::random_text(random, 800)};
  run_train(directory.corpus(texts), {}, options_of(), with_jobs(1), directory / "whole");
  const std::vector<std::string> tables = {directory / "table-0", directory / "table-1"};
  for (std::size_t i = 0; i < 2; ++i) {
    run_count(find_corpus({directory.put("part", texts[i])}), options_of().count, with_jobs(1), tables[i]);
  }
  run_train({}, tables, options_of(), with_jobs(2), directory / "out");
  for (const char* name : {"/tokenizer.json", "/vocab.json", "/merges.txt"}) {
    BOOST_TEST((test::take_file(directory.path() + "/out" + name) ==
                test::take_file(directory.path() + "/whole" + name)));
  }
  // Special tokens are taken from the tables, and may not be others.
  TrainOptions options = options_of();
  options.count.specials.clear();
  run_train({}, tables, options, with_jobs(1), directory / "plain");
  BOOST_TEST(read_hf_json(directory / "plain/tokenizer.json").specials.size() == 2);
  options.count.specials = {kEnd};
  const auto other = [&] { run_train({}, tables, options, with_jobs(1), directory / "no"); };
  BOOST_TEST(tells(error_of(other), tables[0] + ": "));
  BOOST_TEST(listing(directory / "no").empty());
}

BOOST_AUTO_TEST_CASE(a_run_that_is_done_is_not_done_again) {
  const CorpusDirectory directory;
  const Corpus corpus = directory.corpus({"the cat the hat"});
  BOOST_TEST(!run_train(corpus, {}, options_of(), with_jobs(1), directory / "out").already_done);
  const std::string before = test::take_file(directory / "out/training.json");
  BOOST_TEST(run_train(corpus, {}, options_of(), with_jobs(2), directory / "out").already_done);
  BOOST_TEST(test::take_file(directory / "out/training.json") == before);
  const auto other = [&] { run_train(corpus, {}, options_of(299), with_jobs(1), directory / "out"); };
  BOOST_TEST(tells(error_of(other), (directory / "out") + ": "));
  BOOST_TEST(test::take_file(directory / "out/training.json") == before);
}

BOOST_AUTO_TEST_CASE(stops_where_nothing_is_frequent_enough) {
  const CorpusDirectory directory;
  TrainOptions options = options_of(1'000);
  options.min_frequency = 3;
  run_train(directory.corpus({"ab ab ab cd cd"}), {}, options, with_jobs(1), directory / "out");
  const TokenizerModel model = read_hf_json(directory / "out/tokenizer.json");
  BOOST_TEST(model.merges.size() == 1);
  BOOST_TEST(model.tokens.size() == 256 + 2 + 1);
}

BOOST_AUTO_TEST_CASE(goes_on_from_a_checkpoint) {
  Random random(5);
  const CorpusDirectory directory;
  const Corpus corpus = directory.corpus({test::random_text(random, 5'000)});
  const std::string path = directory / "out", checkpoint = path + "/.run/trained.checkpoint";
  for (const TieBreak tie_break : {TieBreak::kBytes, TieBreak::kHf}) {
    TrainOptions options = options_of(600);
    options.tie_break = tie_break;
    options.checkpoint_every = 1e-9;
    run_train(corpus, {}, options, with_jobs(1), path);
    const std::string whole = test::take_file(path + "/tokenizer.json");
    const TokenizerModel model = read_hf_json(path + "/tokenizer.json");
    // What is in the way of the tokenizer's last file stops the run when all is learnt.
    const auto stop = [&] {
      std::filesystem::remove_all(path);
      std::filesystem::create_directories(path + "/tokenizer.tiktoken/in the way");
      BOOST_TEST(!error_of([&] { run_train(corpus, {}, options, with_jobs(1), path); }).empty());
      std::filesystem::remove_all(path + "/tokenizer.tiktoken");
    };
    const auto resumed_from = [&]() -> std::uint64_t {
      const RunReport report = run_train(corpus, {}, options, with_jobs(1), path);
      BOOST_TEST((test::take_file(path + "/tokenizer.json") == whole));
      BOOST_TEST(listing(path) == kFiles);
      const auto* number = report.extra.if_contains(kResumedFrom);
      return number != nullptr ? number->to_number<std::uint64_t>() : 0;
    };
    stop();
    const std::string bytes = test::take_file(checkpoint);
    const MergeCheckpoint written = MergeCheckpoint::parse(bytes, checkpoint);
    BOOST_TEST(written.merges.size() == model.merges.size() / 64 * 64);
    BOOST_TEST(written.merges.size() > 128);
    BOOST_TEST(resumed_from() == written.merges.size());

    const auto resumed_with = [&](const std::string& other) {
      stop();
      test::put_file(checkpoint, other);
      return resumed_from();
    };
    MergeCheckpoint fewer = written;
    fewer.merges.resize(100);
    BOOST_TEST(resumed_with(fewer.to_bytes()) == 100);
    std::string damaged = bytes;
    damaged[damaged.size() / 2] ^= 1;
    BOOST_TEST(resumed_with(damaged) == 0);
    BOOST_TEST(resumed_with(bytes.substr(0, bytes.size() - 8)) == 0);
    BOOST_TEST(resumed_with("") == 0);
    MergeCheckpoint foreign = written;
    foreign.origin ^= 1;
    BOOST_TEST(resumed_with(foreign.to_bytes()) == 0);
    std::filesystem::remove_all(path);
  }
}

BOOST_AUTO_TEST_CASE(a_checkpoint_of_other_words_or_options_is_foreign) {
  Random random(6);
  const CorpusDirectory directory;
  const Corpus corpus = directory.corpus({test::random_text(random, 3'000)});
  const std::string path = directory / "out", checkpoint = path + "/.run/trained.checkpoint";
  std::set<std::uint64_t> origins;
  const auto see = [&](const Corpus& words, const TrainOptions& options) {
    std::filesystem::create_directories(path + "/tokenizer.tiktoken/in the way");
    BOOST_TEST(!error_of([&] { run_train(words, {}, options, with_jobs(1), path); }).empty());
    origins.insert(MergeCheckpoint::parse(test::take_file(checkpoint), checkpoint).origin);
    std::filesystem::remove_all(path);
  };
  TrainOptions options = options_of(500);
  options.checkpoint_every = 1e-9;
  see(corpus, options);
  see(corpus, options);
  BOOST_TEST(origins.size() == 1);
  options.min_frequency = 2;
  see(corpus, options);
  options.tie_break = TieBreak::kHf;
  see(corpus, options);
  BOOST_TEST(origins.size() == 3);
  see(directory.corpus({test::random_text(random, 3'000)}), options);
  BOOST_TEST(origins.size() == 4);
}

BOOST_AUTO_TEST_CASE(no_checkpoint_is_written_before_it_is_time) {
  Random random(7);
  const CorpusDirectory directory;
  const Corpus corpus = directory.corpus({test::random_text(random, 3'000)});
  for (const double every : {0.0, 1'000.0}) {
    const std::string path = directory / std::to_string(every);
    TrainOptions options = options_of(500);
    options.checkpoint_every = every;
    std::filesystem::create_directories(path + "/tokenizer.tiktoken/in the way");
    BOOST_TEST(!error_of([&] { run_train(corpus, {}, options, with_jobs(1), path); }).empty());
    BOOST_TEST(listing(path + "/.run") == "lock merged.table run.json");
  }
}

BOOST_AUTO_TEST_CASE(what_makes_no_sense_is_wrong_usage) {
  const CorpusDirectory directory;
  const Corpus corpus = directory.corpus({"the cat"});
  const auto error_for = [&](std::uint64_t size, const std::vector<std::string>& specials) {
    TrainOptions options = options_of(size);
    options.count.specials = specials;
    return error_of<UsageError>([&] { run_train(corpus, {}, options, with_jobs(1), directory / "out"); });
  };
  BOOST_TEST(tells(error_for(257, {kEnd, kOther}), "--vocab-size"));
  BOOST_TEST(tells(error_for(UINT32_MAX, {}), "--vocab-size"));
  BOOST_TEST(tells(error_for(300, {"a"}), "--special"));
  BOOST_TEST(!error_for(300, {kEnd, kEnd}).empty());
  BOOST_TEST(!error_for(300, {""}).empty());
  BOOST_TEST(listing(directory / "out").empty());
}

BOOST_AUTO_TEST_CASE(training_json_says_what_was_done) {
  const CorpusDirectory directory;
  run_train(directory.corpus({"the cat the hat" + kEnd}), {}, options_of(260), with_jobs(1),
            directory / "out");
  const std::string path = directory / "out/training.json";
  const boost::json::object training = open_sealed(test::take_file(path), path);
  BOOST_TEST(training.at("files").as_object().size() == 5);
  BOOST_TEST(training.at("merges").to_number<int>() == 2);
  BOOST_TEST(training.at("longest_tokens").as_array().size() == 2);
  BOOST_TEST(training.at("run").as_object().at("verb").as_string() == "train");
  BOOST_TEST(training.at("run").as_object().at("options").as_object().at("tie_break").as_string() == "bytes");
  const boost::json::object& report = training.at("report").as_object();
  BOOST_TEST(report.at("bytes").to_number<int>() == 28);
  for (const char* stage : {"count", "merge", "train"}) {
    BOOST_TEST(report.at("stage_seconds").at(stage).to_number<double>() > 0);
    BOOST_TEST(report.at("stage_peak_memory").at(stage).to_number<double>() > 0);
  }
  double parts = 0;
  for (const char* part : {"words", "index", "merge_loop", "write"}) {
    parts += report.at("train_seconds").at(part).to_number<double>();
    BOOST_TEST(report.at("train_peak_memory").at(part).to_number<double>() > 0);
  }
  BOOST_TEST(parts <= report.at("stage_seconds").at("train").to_number<double>());
  // "the", " cat", " the", " hat" and the borders, in two bytes each
  BOOST_TEST(training.at("trainer_memory").at("words").to_number<int>() == 2 * (3 + 3 * 4 + 5));
  BOOST_TEST(!training.contains("parts"));
  BOOST_TEST(!training.contains(kResumedFrom));
  BOOST_TEST(!training.at("unicode").as_string().empty());
}

BOOST_AUTO_TEST_CASE(places_of_special_tokens_have_names) {
  for (const SpecialPlace place : {SpecialPlace::kFirst, SpecialPlace::kAfterBytes, SpecialPlace::kLast}) {
    BOOST_TEST((special_place_from_name(special_place_name(place)) == place));
  }
  BOOST_TEST(special_place_name(SpecialPlace::kAfterBytes) == "after-bytes");
  BOOST_CHECK_THROW(special_place_from_name("middle"), UsageError);
}

BOOST_AUTO_TEST_CASE(ways_to_break_ties_have_names) {
  BOOST_TEST((tie_break_from_name("bytes") == TieBreak::kBytes));
  BOOST_TEST((tie_break_from_name("hf") == TieBreak::kHf));
  BOOST_TEST(tie_break_name(TieBreak::kBytes) == "bytes");
  BOOST_TEST(tie_break_name(TieBreak::kHf) == "hf");
  BOOST_CHECK_THROW(tie_break_from_name("ids"), UsageError);
}

BOOST_AUTO_TEST_SUITE_END()
