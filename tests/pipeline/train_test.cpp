#include "pipeline/train.h"

#include <boost/test/unit_test.hpp>
#include <map>

#include "bpe/counting.h"
#include "bpe/naive.h"
#include "format/hf_json.h"
#include "format/json_text.h"
#include "format/known_pretokens.h"
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
    std::string files;
    for (const char* name :
         {"merges.txt", "pretokens.bin", "tokenizer.json", "tokenizer.tiktoken", "vocab.json"}) {
      files += test::take_file(output + "/" + name);
    }
    if (first.empty()) first = files;
    BOOST_TEST((files == first));
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
  BOOST_TEST(training.at("report").as_object().at("bytes").to_number<int>() == 28);
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
