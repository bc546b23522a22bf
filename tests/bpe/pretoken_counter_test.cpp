#include "bpe/pretoken_counter.h"

#include <boost/test/unit_test.hpp>
#include <tuple>

#include "bpe/counting.h"
#include "io/scratch.h"
#include "text/pretokenizer.h"
#include "text/scanning.h"

using namespace tokmill;
using test::Counts;
using test::PaddedText;
using test::Random;
using test::ScratchDirectory;

namespace {

const std::string kEnd = "<|endoftext|>";
const std::string kLong = "<|a special token of many bytes|>";

Counts slow_count(const Scanner& scanner, const SpecialTokens& specials, const PaddedText& text) {
  Counts counts;
  for (const char* at = text.begin();;) {
    const SpecialTokens::Match match = specials.find(at, text.end(), text.end());
    for (const test::Span& span : test::spans(scanner, text.begin(), at, match ? match.begin : text.end())) {
      ++counts[std::string(text.view().substr(span.begin, span.end - span.begin))];
    }
    if (!match) return counts;
    at = match.end;
  }
}

void count(PretokenCounter& counter, const Scanner& scanner, const SpecialTokens& specials,
           std::string_view text) {
  Pretokenizer pretokenizer(scanner, specials);
  pretokenizer.start(text);
  for (const PretokenBlock* block = &pretokenizer.next(); block->size > 0; block = &pretokenizer.next()) {
    counter.add(*block);
  }
}

std::string written(PretokenCounter& counter, const std::string& path) {
  CountTableWriter writer(path);
  counter.write(writer);
  writer.commit({});
  return read_file(path);
}

std::string random_text(Random& random, std::size_t parts) {
  std::string out;
  while (parts-- > 0) {
    switch (random.below(6)) {
      case 0:
        out += test::nasty_text(random, 12);
        break;
      case 1:
        out += random.below(2) == 0 ? kEnd : kLong;
        break;
      case 2:  // about the length from which on they lie elsewhere, and beyond
        out +=
            " " + std::string(random.below(4) == 0 ? random.between(15, 700) : random.between(12, 18), 'w');
        break;
      default:
        out += " " + random.join({"a", "b", "c"}, random.between(1, 20));
    }
  }
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(pretoken_counter_test)

BOOST_AUTO_TEST_CASE(agrees_with_a_map_on_random_texts) {
  Random random(1);
  const ScratchDirectory directory;
  const SpecialTokens specials({kEnd, kLong});
  for (const Pattern pattern : {Pattern::kGpt2, Pattern::kWhitespace, Pattern::kNone}) {
    const auto scanner = make_scanner(pattern);
    for (int i = 0; i < 30; ++i) {
      const PaddedText text(random_text(random, random.between(0, i == 0 ? 20'000 : 300)));
      PretokenCounter counter;
      count(counter, *scanner, specials, text);
      const Counts expected = slow_count(*scanner, specials, text);
      BOOST_REQUIRE(counter.distinct() == expected.size());
      written(counter, directory / "table");
      BOOST_REQUIRE(test::read_counts(directory / "table") == expected);
    }
  }
}

BOOST_AUTO_TEST_CASE(special_tokens_are_not_counted) {
  const auto scanner = make_scanner(Pattern::kGpt2);
  const ScratchDirectory directory;
  PretokenCounter counter;
  count(counter, *scanner, SpecialTokens({kEnd, kLong}),
        PaddedText(kEnd + kLong + "one" + kLong + "one" + kEnd));
  written(counter, directory / "table");
  BOOST_TEST((test::read_counts(directory / "table") == Counts{{"one", 2}}));
}

BOOST_AUTO_TEST_CASE(grows_and_keeps_its_counts) {
  Random random(2);
  const ScratchDirectory directory;
  PretokenCounter counter;
  Counts expected;
  for (int i = 0; i < 300'000; ++i) {
    std::string pretoken = " " + std::to_string(random.below(200'000));
    if (random.below(4) == 0) pretoken += std::string(random.between(10, 40), 'n');
    const std::uint64_t amount = random.below(100) == 0 ? std::uint64_t{1} << 40 : random.between(1, 3);
    counter.add(pretoken, amount);
    expected[pretoken] += amount;
  }
  BOOST_TEST(counter.distinct() == expected.size());
  written(counter, directory / "table");
  BOOST_TEST((test::read_counts(directory / "table") == expected));
}

BOOST_AUTO_TEST_CASE(has_room_until_the_limit_is_reached) {
  Random random(8);
  const auto scanner = make_scanner(Pattern::kGpt2);
  const SpecialTokens specials({kEnd});
  for (const auto& [longest, least, most] :
       {std::tuple{9u, 200'000u, 300'000u}, {60u, 50'000u, 200'000u}, {9'000u, 3'000u, 6'000u}}) {
    constexpr std::uint64_t kLimit = 24 << 20;
    PretokenCounter counter(10'000'000'000, kLimit);  // it takes less at first than its text would want
    bool full = false;
    for (int i = 0; !full; ++i) {
      BOOST_REQUIRE(i < 100'000);
      std::string text;
      while (text.size() < 20'000) {
        text +=
            " " + random.join({"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"}, random.between(5, longest));
      }
      const PaddedText padded(text);
      Pretokenizer pretokenizer(*scanner, specials);
      pretokenizer.start(padded.view());
      for (const PretokenBlock* block = &pretokenizer.next(); block->size > 0; block = &pretokenizer.next()) {
        full = full || !counter.has_room(*block, kLimit);
        if (!full) counter.add(*block);
      }
    }
    BOOST_TEST(counter.distinct() >= least);
    BOOST_TEST(counter.distinct() <= most);
    counter.clear();
    PretokenBlock nothing;
    BOOST_TEST(counter.has_room(nothing, kLimit));
    BOOST_TEST(!counter.has_room(nothing, 1 << 20));
  }
}

BOOST_AUTO_TEST_CASE(long_pretokens_of_megabytes) {
  const ScratchDirectory directory;
  PretokenCounter counter;
  const std::string one(3 << 20, 'a'), other(3 << 20, 'b');
  counter.add(one, 2);
  counter.add(other, 1);
  counter.add(one, 5);
  written(counter, directory / "table");
  BOOST_TEST((test::read_counts(directory / "table") == Counts{{one, 7}, {other, 1}}));
}

BOOST_AUTO_TEST_CASE(the_file_does_not_depend_on_the_order_of_counting_nor_on_the_table_s_first_size) {
  Random random(3);
  const ScratchDirectory directory;
  std::vector<std::string> pretokens;
  for (int i = 0; i < 40'000; ++i) {
    pretokens.push_back(random.bytes(random.below(8) == 0 ? random.between(16, 60) : random.between(1, 15)));
    if (random.below(3) == 0) pretokens.push_back(random.pick(pretokens));
  }
  std::string first;
  for (int pass = 0; pass < 3; ++pass) {
    PretokenCounter counter(std::uint64_t{pass == 1} << 30, pass == 2 ? 0 : 16 << 20);
    for (const std::string& pretoken : pretokens) counter.add(pretoken, 1);
    const std::string table = written(counter, directory / "table");
    if (pass == 0) first = table;
    BOOST_TEST((table == first));
    for (std::size_t i = pretokens.size(); i-- > 1;) std::swap(pretokens[i], pretokens[random.below(i + 1)]);
  }
}

BOOST_AUTO_TEST_CASE(clear_forgets_everything) {
  const ScratchDirectory directory;
  PretokenCounter counter;
  for (int i = 0; i < 50'000; ++i)
    counter.add(std::to_string(i) + (i % 2 == 0 ? "" : std::string(20, 'x')), 3);
  BOOST_TEST(counter.distinct() == 50'000);
  written(counter, directory / "table");
  counter.clear();
  BOOST_TEST(counter.distinct() == 0);
  counter.add("a", 1);
  written(counter, directory / "table");
  BOOST_TEST((test::read_counts(directory / "table") == Counts{{"a", 1}}));
}

BOOST_AUTO_TEST_SUITE_END()
