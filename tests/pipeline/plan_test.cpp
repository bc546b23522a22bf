#include "pipeline/plan.h"

#include <boost/test/unit_test.hpp>
#include <set>

#include "pipeline/corpora.h"

using namespace tokmill;
using test::CorpusDirectory;
using test::kEnd;
using test::Piece;
using test::pieces_of;
using test::Random;

namespace {

std::string spell(const std::vector<Range>& plan) {
  std::string out;
  for (const Range& range : plan) {
    out += '|';
    for (const Segment& s : range.segments) {
      out += ' ' + std::to_string(s.input) + ':' + std::to_string(s.begin) + '-' + std::to_string(s.end) +
             (s.within_document ? "w" : "") + (s.ends_file ? "e" : "");
    }
  }
  return out;
}

std::uint64_t divide_up(std::uint64_t a, std::uint64_t b) {
  return (a + b - 1) / b;
}

// Everything that a plan promises, by looking at the whole texts.
void check(const std::vector<std::string>& texts, const std::vector<Range>& plan,
           const std::vector<std::string>& tokens, const Scanner& scanner, const PlanOptions& options) {
  const SpecialTokens specials(tokens);
  std::uint64_t total = 0;
  for (const std::string& text : texts) total += text.size();
  std::vector<Segment> segments;
  for (const Range& range : plan)
    segments.insert(segments.end(), range.segments.begin(), range.segments.end());

  auto segment = segments.begin();
  for (std::size_t input = 0; input < texts.size(); ++input) {
    const std::string& text = texts[input];
    if (text.empty()) continue;
    const std::vector<Piece> whole = pieces_of(scanner, specials, text);
    std::vector<Piece> cut;
    std::size_t at = 0;
    while (at < text.size()) {
      BOOST_REQUIRE(segment != segments.end());
      BOOST_REQUIRE((segment->input == input && segment->begin == at && segment->end > at));
      BOOST_REQUIRE(segment->end <= text.size());
      BOOST_REQUIRE(segment->ends_file == (segment->end == text.size()));
      const bool after_separator =
          !cut.empty() && cut.back().end == at && cut.back().special >= 0 &&
          (options.separator.empty() ||
           tokens[static_cast<std::size_t>(cut.back().special)] == options.separator);
      BOOST_REQUIRE(segment->within_document == (at > 0 && !after_separator));
      const std::string_view stretch = std::string_view(text).substr(at, segment->end - at);
      for (const Piece& piece : pieces_of(scanner, specials, stretch, at)) cut.push_back(piece);
      at = segment->end;
      ++segment;
    }
    BOOST_REQUIRE_MESSAGE(cut == whole, "cutting changes pretokens or special tokens");
  }
  BOOST_REQUIRE(segment == segments.end());

  const std::uint64_t number =
      std::clamp<std::uint64_t>(divide_up(total, options.range_size), 1, options.max_ranges);
  BOOST_REQUIRE(plan.size() <= number);
  for (std::size_t i = 0; i < plan.size(); ++i) {
    BOOST_REQUIRE(!plan[i].segments.empty());
    if (i + 1 < plan.size()) BOOST_REQUIRE(plan[i].bytes() >= divide_up(total, number));
  }
}

void make_and_check(const Corpus& corpus, const std::vector<std::string>& texts,
                    const std::vector<std::string>& tokens, const Scanner& scanner,
                    const PlanOptions& options) {
  const SpecialTokens specials(tokens);
  const std::vector<Range> plan = make_plan(corpus, specials, scanner, options);
  std::string about =
      "range size " + std::to_string(options.range_size) + ", plan " + spell(plan) + ", tokens";
  for (const std::string& token : tokens) about += " '" + test::escaped(token) + "'";
  for (const std::string& text : texts) about += "\n  text '" + test::escaped(text.substr(0, 300)) + "'";
  BOOST_TEST_CONTEXT(about) {
    check(texts, plan, tokens, scanner, options);
    BOOST_REQUIRE(make_plan(corpus, specials, scanner, options) == plan);
  }
}

std::vector<std::string> random_tokens(Random& random, const std::vector<std::string>& alphabet) {
  std::set<std::string> tokens;
  for (std::size_t i = random.below(5); i > 0; --i)
    tokens.insert(random.join(alphabet, random.between(1, 6)));
  return {tokens.begin(), tokens.end()};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(plan_test)

BOOST_AUTO_TEST_CASE(cuts_come_after_special_tokens) {
  const CorpusDirectory directory;
  const auto scanner = make_scanner(Pattern::kNone);
  const std::string document = "ten bytes." + kEnd;  // 23 bytes
  const Corpus corpus = directory.corpus({document + document + document + "rest"});
  PlanOptions options;
  options.range_size = 40;  // two ranges, so of 37 bytes at least
  BOOST_TEST(spell(make_plan(corpus, SpecialTokens({kEnd}), *scanner, options)) == "| 0:0-46| 0:46-73e");
  options.range_size = 30;  // three, of 25 bytes at least
  BOOST_TEST(spell(make_plan(corpus, SpecialTokens({kEnd}), *scanner, options)) == "| 0:0-46| 0:46-73e");
  options.range_size = 23;  // four, of 19 bytes at least
  BOOST_TEST(spell(make_plan(corpus, SpecialTokens({kEnd}), *scanner, options)) ==
             "| 0:0-23| 0:23-46| 0:46-69| 0:69-73e");
  options.separator = "<|another|>";
  BOOST_TEST(spell(make_plan(corpus, SpecialTokens({kEnd, "<|another|>"}), *scanner, options)) ==
             "| 0:0-23| 0:23-46w| 0:46-69w| 0:69-73we");
}

BOOST_AUTO_TEST_CASE(a_document_longer_than_a_range_is_cut_where_the_pattern_always_splits) {
  const CorpusDirectory directory;
  const auto scanner = make_scanner(Pattern::kGpt2);
  PlanOptions options;
  options.range_size = 10;
  const Corpus corpus = directory.corpus({"one two three four five"});
  BOOST_TEST(spell(make_plan(corpus, {}, *scanner, options)) == "| 0:0-13| 0:13-23we");
  // None always splits here, and there is no special token.
  const auto whole = make_scanner(Pattern::kNone);
  BOOST_TEST(spell(make_plan(corpus, {}, *whole, options)) == "| 0:0-23e");
}

BOOST_AUTO_TEST_CASE(small_files_lie_together) {
  const CorpusDirectory directory;
  const auto scanner = make_scanner(Pattern::kGpt2);
  std::vector<std::string> texts(1'000, "ten bytes.");
  texts[500].clear();
  PlanOptions options;
  options.range_size = 1'000;
  const Corpus corpus = directory.corpus(texts);
  const std::vector<Range> plan = make_plan(corpus, {}, *scanner, options);
  BOOST_TEST(plan.size() == 10);
  for (const Range& range : plan) BOOST_TEST((range.segments.size() >= 99 && range.segments.size() <= 101));
  check(texts, plan, {}, *scanner, options);
  options.range_size = 1 << 20;
  BOOST_TEST(make_plan(corpus, {}, *scanner, options).size() == 1);
}

BOOST_AUTO_TEST_CASE(a_corpus_without_bytes_has_no_ranges) {
  const CorpusDirectory directory;
  BOOST_TEST(make_plan(directory.corpus({"", ""}), {}, *make_scanner(Pattern::kGpt2), {}).empty());
}

BOOST_AUTO_TEST_CASE(there_are_no_more_ranges_than_allowed) {
  const CorpusDirectory directory;
  Random random(1);
  const auto scanner = make_scanner(Pattern::kGpt2);
  const std::vector<std::string> texts = {test::random_text(random, 3'000), test::random_text(random, 50),
                                          test::random_text(random, 500)};
  const Corpus corpus = directory.corpus(texts);
  for (const std::uint64_t most : {1u, 2u, 7u, 100u}) {
    PlanOptions options{1, most, 1 << 20, kEnd};
    make_and_check(corpus, texts, {kEnd}, *scanner, options);
    const std::size_t got = make_plan(corpus, SpecialTokens({kEnd}), *scanner, options).size();
    BOOST_TEST((got <= most && got > most / 2));
  }
}

BOOST_AUTO_TEST_CASE(describes_ranges_for_messages) {
  const CorpusDirectory directory;
  const Corpus corpus = directory.corpus({"abc", "de"});
  const std::vector<Range> plan = make_plan(corpus, {}, *make_scanner(Pattern::kGpt2), {});
  BOOST_REQUIRE(plan.size() == 1);
  BOOST_TEST(plan[0].bytes() == 5);
  BOOST_TEST(test::says(plan[0].describe(corpus), corpus.inputs[0].path + ", bytes 0 to 3"));
  BOOST_TEST(!Range{}.describe(corpus).empty());
}

BOOST_AUTO_TEST_CASE(cutting_changes_nothing_on_random_texts_of_tiny_alphabets) {
  Random random(2);
  const CorpusDirectory directory;
  const std::vector<std::vector<std::string>> alphabets = {
      {"a"}, {"a", "b"}, {"a", " "}, {"<", "|", ">", " "}, {"a", " ", "\n", "'", "b"}, test::nasty_atoms()};
  for (int i = 0; i < 500; ++i) {
    const std::vector<std::string>& alphabet = random.pick(alphabets);
    std::vector<std::string> texts(random.between(1, 4));
    for (std::string& text : texts) {
      text = random.join(alphabet, random.below(random.pick<std::size_t>({2, 10, 60})));
    }
    const Corpus corpus = directory.corpus(texts);
    for (int k = 0; k < 8; ++k) {
      const std::vector<std::string> tokens = random_tokens(random, alphabet);
      PlanOptions options;
      options.range_size = random.between(1, 40);
      if (random.below(3) == 0) options.max_ranges = random.between(1, 9);
      if (!tokens.empty() && random.below(2) == 0) options.separator = random.pick(tokens);
      const auto scanner =
          make_scanner(random.pick<Pattern>({Pattern::kGpt2, Pattern::kWhitespace, Pattern::kNone}));
      make_and_check(corpus, texts, tokens, *scanner, options);
    }
  }
}

BOOST_AUTO_TEST_CASE(cutting_changes_nothing_on_longer_texts) {
  Random random(3);
  const CorpusDirectory directory;
  const auto scanner = make_scanner(Pattern::kGpt2);
  for (int i = 0; i < 60; ++i) {
    std::string text;
    for (std::size_t parts = random.between(1, 30); parts > 0; --parts) {
      text += test::random_text(random, random.below(60));
      if (random.below(3) == 0)
        text += std::string(random.below(9'000), random.pick<char>({'a', ' ', '\xE3', '\n'}));
      if (random.below(3) == 0) text += random.join({kEnd, "<|end"}, random.below(4));
    }
    PlanOptions options;
    options.range_size = random.pick<std::size_t>({1, 20, 700, 10'000});
    options.separator = kEnd;
    make_and_check(directory.corpus({text}), {text}, {kEnd, kEnd + kEnd, "<|endoftext|><|end"}, *scanner,
                   options);
  }
}

BOOST_AUTO_TEST_CASE(chains_of_overlapping_tokens_are_followed_back) {
  const CorpusDirectory directory;
  const auto scanner = make_scanner(Pattern::kNone);
  PlanOptions options;
  options.range_size = 9'999;
  const std::string long_token = "<" + std::string(6'000, '-') + ">";
  for (const std::string before : {"", "x", "xa"}) {
    const std::string letters = before + std::string(50'001, 'a') + "b";
    make_and_check(directory.corpus({letters}), {letters}, {"aa"}, *scanner, options);
    make_and_check(directory.corpus({letters}), {letters}, {"aaa", "ab"}, *scanner, options);
    const std::string signs = before + Random(4).join({long_token, "<--", "-->"}, 40);
    make_and_check(directory.corpus({signs}), {signs}, {long_token, "->"}, *scanner, options);
  }
}

BOOST_AUTO_TEST_CASE(a_cut_may_be_far_from_where_it_was_wanted) {
  const CorpusDirectory directory;
  PlanOptions options;
  options.range_size = 2 << 20;
  // Nothing to cut at for megabytes, and a token across the border of what is searched at once.
  for (const std::size_t shift : {0u, 1u, 5u, 12u, 13u}) {
    const std::string text = std::string((3 << 20) - shift, 'a') + kEnd + std::string(4 << 20, 'b') + " c";
    for (const Pattern pattern : {Pattern::kGpt2, Pattern::kNone}) {
      make_and_check(directory.corpus({text}), {text}, {kEnd}, *make_scanner(pattern), options);
    }
    const Corpus corpus = directory.corpus({text});
    const std::string cut = std::to_string(text.find(kEnd) + kEnd.size());
    BOOST_TEST(spell(make_plan(corpus, SpecialTokens({kEnd}), *make_scanner(Pattern::kNone), options)) ==
               "| 0:0-" + cut + "| 0:" + cut + "-" + std::to_string(text.size()) + "e");
  }
}

BOOST_AUTO_TEST_CASE(changes_of_a_later_file_change_no_range_before_it) {
  const CorpusDirectory directory;
  Random random(5);
  const auto scanner = make_scanner(Pattern::kGpt2);
  const std::string text = test::random_text(random, 400);
  PlanOptions options;
  options.range_size = 300;
  const auto plan = [&](const std::string& second) {
    return make_plan(directory.corpus({text, second}), SpecialTokens({kEnd}), *scanner, options);
  };
  const auto one = plan(std::string(3'000, 'a')), other = plan(std::string(3'000, 'b'));
  BOOST_TEST(one.front().bytes() == other.front().bytes());
  BOOST_TEST(one.size() > 2);
}

BOOST_AUTO_TEST_SUITE_END()
