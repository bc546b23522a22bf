#include "pipeline/count.h"

#include <boost/test/unit_test.hpp>

#include "bpe/counting.h"
#include "io/error.h"
#include "pipeline/corpora.h"

using namespace tokmill;
using test::CorpusDirectory;
using test::Counts;
using test::error_of;
using test::kEnd;
using test::Random;
using test::tells;

namespace {

RunOptions with_jobs(unsigned jobs) {
  RunOptions run;
  run.jobs = jobs;
  return run;
}

CountOptions options_of(std::uint64_t shard_size = 64 << 20, Pattern pattern = Pattern::kGpt2) {
  CountOptions options;
  options.specials = {kEnd, kEnd + kEnd};
  options.shard_size = shard_size;
  options.pattern = pattern;
  return options;
}

Counts slow_count(const std::vector<std::string>& texts, const CountOptions& options) {
  const SpecialTokens specials(options.specials);
  const auto scanner = make_scanner(options.pattern);
  Counts counts;
  for (const std::string& text : texts) {
    for (const test::Piece& piece : test::pieces_of(*scanner, specials, text)) {
      if (piece.special < 0) ++counts[text.substr(piece.begin, piece.end - piece.begin)];
    }
  }
  return counts;
}

std::vector<std::string> random_texts(Random& random) {
  std::vector<std::string> texts = {test::random_text(random, 2'000), "", test::random_text(random, 100)};
  for (int i = 0; i < 50; ++i) texts.push_back(test::random_text(random, random.below(20)));
  return texts;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(count_test)

BOOST_AUTO_TEST_CASE(counts_what_a_slow_count_finds) {
  Random random(1);
  const CorpusDirectory directory;
  const std::vector<std::string> texts = random_texts(random);
  const Corpus corpus = directory.corpus(texts);
  for (const Pattern pattern : {Pattern::kGpt2, Pattern::kWhitespace, Pattern::kNone}) {
    const CountOptions options = options_of(100, pattern);
    const RunReport report = run_count(corpus, options, with_jobs(2), directory / "table");
    const Counts expected = slow_count(texts, options);
    BOOST_TEST((test::read_counts(directory / "table") == expected));
    std::uint64_t pretokens = 0;
    for (const auto& [pretoken, count] : expected) pretokens += count;
    BOOST_TEST(report.verb == "count");
    BOOST_TEST(report.bytes == corpus.bytes());
    BOOST_TEST(report.pretokens == pretokens);
    BOOST_TEST(report.distinct == expected.size());
    BOOST_TEST(report.output_bytes == std::filesystem::file_size(directory / "table"));
    BOOST_TEST(!std::filesystem::exists(directory / "table.run"));
  }
}

BOOST_AUTO_TEST_CASE(the_table_does_not_depend_on_how_it_was_made) {
  Random random(2);
  const CorpusDirectory directory;
  const Corpus corpus = directory.corpus(random_texts(random));
  std::string first;
  for (const unsigned jobs : {1u, 2u, 5u}) {
    for (const std::uint64_t shard_size : {64u, 1'000u, 1u << 20}) {
      run_count(corpus, options_of(shard_size), with_jobs(jobs), directory / "table");
      const std::string table = test::take_file(directory / "table");
      if (first.empty()) first = table;
      BOOST_TEST((table == first));
    }
  }
}

BOOST_AUTO_TEST_CASE(says_how_it_was_counted) {
  const CorpusDirectory directory;
  // Documents: "a", one that is empty, "b"; the second file "c"; the third none.
  const Corpus corpus = directory.corpus({"a" + kEnd + "|" + kEnd + kEnd + "b", "c", ""});
  CountOptions options;
  options.specials = {"|", kEnd};
  run_count(corpus, options, with_jobs(1), directory / "table");
  const CountTableInfo info = CountTableReader(directory / "table").info();
  BOOST_TEST(info.pattern == "gpt2");
  BOOST_TEST(info.specials == (std::vector<std::string>{kEnd, "|"}), boost::test_tools::per_element());
  BOOST_TEST(!info.unicode.empty());
  BOOST_TEST(info.bytes == corpus.bytes());
  BOOST_TEST(info.pretokens == 3);
  BOOST_TEST(info.documents == 6);  // while counting every special token ends a document
}

BOOST_AUTO_TEST_CASE(an_empty_corpus_gives_an_empty_table) {
  const CorpusDirectory directory;
  const RunReport report =
      run_count(directory.corpus({"", ""}), options_of(), with_jobs(2), directory / "table");
  BOOST_TEST(test::read_counts(directory / "table").empty());
  BOOST_TEST(report.documents == 0);
}

BOOST_AUTO_TEST_CASE(tables_add_up) {
  Random random(3);
  const CorpusDirectory directory;
  std::vector<std::string> texts, tables;
  for (int i = 0; i < 4; ++i) {
    texts.push_back(test::random_text(random, 300));
    tables.push_back(directory / ("table-" + std::to_string(i)));
    run_count(find_corpus({directory.put("part", texts.back())}), options_of(), with_jobs(1), tables.back());
  }
  run_count(directory.corpus(texts), options_of(), with_jobs(1), directory / "whole");
  const RunReport report = run_merge(tables, with_jobs(2), directory / "sum");
  BOOST_TEST((test::take_file(directory / "sum") == test::take_file(directory / "whole")));
  BOOST_TEST(report.distinct == slow_count(texts, options_of()).size());
  run_merge({tables[0]}, with_jobs(2), directory / "same");
  BOOST_TEST((test::take_file(directory / "same") == test::take_file(tables[0])));
  run_merge({tables[0], tables[0]}, with_jobs(2), directory / "twice");
  for (const auto& [pretoken, count] : test::read_counts(directory / "twice")) {
    BOOST_REQUIRE(count == 2 * test::read_counts(tables[0])[pretoken]);
  }
}

BOOST_AUTO_TEST_CASE(tables_of_different_cuts_are_not_added) {
  const CorpusDirectory directory;
  const Corpus corpus = directory.corpus({"a b"});
  run_count(corpus, options_of(), with_jobs(1), directory / "a");
  run_count(corpus, options_of(64, Pattern::kNone), with_jobs(1), directory / "b");
  CountOptions other = options_of();
  other.specials.pop_back();
  run_count(corpus, other, with_jobs(1), directory / "c");
  for (const char* name : {"b", "c"}) {
    const auto merge = [&] {
      run_merge({directory / "a", directory / name}, with_jobs(1), directory / "sum");
    };
    BOOST_TEST(tells(error_of(merge), (directory / name) + ": "));
    BOOST_TEST(!std::filesystem::exists(directory / "sum"));
  }
}

BOOST_AUTO_TEST_CASE(a_damaged_table_is_not_added) {
  const CorpusDirectory directory;
  run_count(directory.corpus({"a b c d e f g h"}), options_of(), with_jobs(1), directory / "a");
  std::string table = test::take_file(directory / "a");
  table[40] = static_cast<char>(table[40] ^ 4);
  test::put_file(directory / "b", table);
  const auto merge = [&] { run_merge({directory / "a", directory / "b"}, with_jobs(1), directory / "sum"); };
  BOOST_TEST(tells(error_of(merge), (directory / "b") + ": "));
  BOOST_TEST(!std::filesystem::exists(directory / "sum"));
}

BOOST_AUTO_TEST_CASE(a_run_goes_on_with_the_parts_that_are_sound) {
  Random random(4);
  const CorpusDirectory directory;
  const Corpus corpus = directory.corpus({test::random_text(random, 500), test::random_text(random, 500)});
  const CountOptions options = options_of(1'000);
  run_count(corpus, options, with_jobs(1), directory / "whole");
  // The first attempt counts everything and fails when it writes the table.
  const std::string table = directory / "table";
  std::filesystem::create_directories(table + ".partial");
  BOOST_TEST(!error_of([&] { run_count(corpus, options, with_jobs(2), table); }).empty());
  const std::string left = test::listing(table + ".run");
  BOOST_TEST(tells(left, "count-"));
  // One part is damaged in between.
  const std::string part =
      table + ".run/" + left.substr(left.find("count-"), left.find(' ') - left.find("count-"));
  std::string bytes = test::take_file(part);
  bytes[40] = static_cast<char>(bytes[40] ^ 1);  // among the entries, not in the footer
  test::put_file(part, bytes);
  std::filesystem::remove(table + ".partial");
  run_count(corpus, options, with_jobs(2), table);
  BOOST_TEST((test::take_file(table) == test::take_file(directory / "whole")));
  BOOST_TEST(!std::filesystem::exists(table + ".run"));
}

// More distinct pretokens than a worker's share has room for, in few ranges.
BOOST_AUTO_TEST_CASE(what_is_spilled_is_counted_all_the_same) {
  Random random(5);
  const CorpusDirectory directory;
  std::string text;
  for (int i = 0; i < 250'000; ++i) {
    text += " " + std::string(random.below(20) == 0 ? 12 : 0, 'x') +
            random.join({"a", "b", "c", "d", "e", "f"}, 8);
    if (random.below(50) == 0) text += kEnd;
  }
  const Corpus corpus = directory.corpus({text, text.substr(7, text.size() / 2), "a b a"});
  CountOptions options = options_of(1 << 20);
  const RunReport whole = run_count(corpus, options, with_jobs(1), directory / "whole");
  for (const unsigned jobs : {1u, 2u}) {
    RunOptions run = with_jobs(jobs);
    run.memory = 32 << 20;
    const RunReport report = run_count(corpus, options, run, directory / "spilled");
    BOOST_TEST((test::take_file(directory / "spilled") == test::take_file(directory / "whole")));
    BOOST_TEST(report.documents == whole.documents);
  }
}

BOOST_AUTO_TEST_CASE(a_run_goes_on_with_the_spills_that_are_sound) {
  Random random(6);
  const CorpusDirectory directory;
  std::string text;
  for (int i = 0; i < 450'000; ++i) text += " " + random.join({"a", "b", "c", "d", "e", "f"}, 9);
  const Corpus corpus = directory.corpus({text});
  const CountOptions options = options_of(4 << 20);
  run_count(corpus, options, with_jobs(1), directory / "whole");
  RunOptions run = with_jobs(1);
  run.memory = 32 << 20;
  const std::string table = directory / "table";
  std::filesystem::create_directories(table + ".partial");
  BOOST_TEST(!error_of([&] { run_count(corpus, options, run, table); }).empty());
  std::filesystem::remove(table + ".partial");
  std::size_t spills = 0;
  for (const auto& entry : std::filesystem::directory_iterator(table + ".run")) {
    const std::string path = entry.path();
    if (path.find("/spill-") == path.npos) continue;
    std::string bytes = test::take_file(path);
    if (spills++ == 0) bytes[40] = static_cast<char>(bytes[40] ^ 1);
    test::put_file(path, bytes);
  }
  BOOST_TEST(spills > 1);
  run_count(corpus, options, run, table);
  BOOST_TEST((test::take_file(table) == test::take_file(directory / "whole")));
}

BOOST_AUTO_TEST_CASE(many_tables_are_added_in_rounds) {
  Random random(7);
  const CorpusDirectory directory;
  std::vector<std::string> tables, texts;
  for (int i = 0; i < 60; ++i) {
    texts.push_back(test::random_text(random, 30));
    tables.push_back(directory / ("t" + std::to_string(i)));
    run_count(directory.corpus({texts.back()}), options_of(), with_jobs(1), tables.back());
  }
  RunOptions run = with_jobs(2);
  run.memory = 32 << 20;
  const RunReport report = run_merge(tables, run, directory / "rounds");
  const RunReport at_once = run_merge(tables, with_jobs(2), directory / "sum");
  BOOST_TEST((test::take_file(directory / "rounds") == test::take_file(directory / "sum")));
  BOOST_TEST((test::read_counts(directory / "sum") == slow_count(texts, options_of())));
  BOOST_TEST(report.documents == at_once.documents);
  BOOST_TEST(report.distinct == at_once.distinct);
}

BOOST_AUTO_TEST_CASE(too_little_memory_is_an_error_that_says_how_much_would_do) {
  const CorpusDirectory directory;
  RunOptions run = with_jobs(4);
  run.memory = 20 << 20;
  const auto count = [&] { run_count(directory.corpus({"a b"}), options_of(), run, directory / "table"); };
  BOOST_TEST(tells(error_of(count), "--memory 20.0 MiB is too small: at least 32.0 MiB is needed"));
}

BOOST_AUTO_TEST_CASE(a_file_that_changed_since_it_was_found_is_an_error) {
  const CorpusDirectory directory;
  const Corpus corpus = directory.corpus({"a b", "c d"});
  test::put_file(corpus.inputs[1].path, "c d and more");
  const std::string error =
      error_of([&] { run_count(corpus, options_of(), with_jobs(1), directory / "table"); });
  BOOST_TEST(tells(error, corpus.inputs[1].path + ": changed"));
  BOOST_TEST(!std::filesystem::exists(directory / "table"));
}

BOOST_AUTO_TEST_SUITE_END()
