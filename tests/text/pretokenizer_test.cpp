#include "text/pretokenizer.h"

#include <boost/test/unit_test.hpp>

#include "text/regex_scanner.h"
#include "text/scanning.h"

using namespace tokmill;
using test::escaped;
using test::PaddedText;
using test::Random;
using test::Span;

namespace {

const std::string kEnd = "<|endoftext|>";

/// A pretoken, or the special token of that index.
struct Piece {
  Span span;
  int special;
  bool operator==(const Piece&) const = default;
};

// Scans each stretch between special tokens whole.
std::vector<Piece> slow_pieces(const Scanner& scanner, const SpecialTokens& specials,
                               const PaddedText& text) {
  std::vector<Piece> out;
  const char* at = text.begin();
  for (;;) {
    const SpecialTokens::Match match = specials.find(at, text.end(), text.end());
    const char* const end = match ? match.begin : text.end();
    for (const Span& span : test::spans(scanner, text.begin(), at, end)) out.push_back({span, -1});
    if (!match) return out;
    out.push_back({{static_cast<std::size_t>(match.begin - text.begin()),
                    static_cast<std::size_t>(match.end - text.begin())},
                   static_cast<int>(match.index)});
    at = match.end;
  }
}

std::vector<Piece> pieces(Pretokenizer& pretokenizer, const PaddedText& text) {
  std::vector<Piece> out;
  pretokenizer.start(text);
  for (;;) {
    const PretokenBlock& block = pretokenizer.next();
    BOOST_REQUIRE(block.size <= PretokenBlock::kCapacity);
    if (block.size == 0) return out;
    const std::size_t before = out.size();
    for (std::size_t i = 0; i < block.size; ++i) {
      const auto begin = static_cast<std::size_t>(block[i].data() - text.begin());
      out.push_back({{begin, begin + block[i].size()}, -1});
    }
    for (std::size_t i = 0; i < block.special_count; ++i) {
      out[before + block.specials[i].entry].special = static_cast<int>(block.specials[i].index);
    }
  }
}

// Nasty text with special tokens in it, whole and in parts.
std::string text_with_specials(Random& random, const std::vector<std::string>& tokens, std::size_t parts) {
  std::string text;
  while (parts-- > 0) {
    const std::string& token = random.pick(tokens);
    const std::size_t kind = random.below(4);
    text += kind == 0   ? token
            : kind == 1 ? token.substr(random.below(token.size()), random.between(1, token.size()))
                        : test::nasty_text(random, 8);
  }
  return text;
}

const std::vector<std::vector<std::string>>& token_sets() {
  static const std::vector<std::vector<std::string>> sets = {
      {kEnd},          {kEnd, kEnd + kEnd}, {" \n", "s"}, {"<|a b|>", "<|a", " "}, {"a", "'s", "\u3000"},
      {"\x80", "\xE3"}};
  return sets;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(pretokenizer_test)

BOOST_AUTO_TEST_CASE(specials_separate_stretches_of_text) {
  const auto scanner = make_scanner(Pattern::kGpt2);
  const SpecialTokens specials({kEnd});
  Pretokenizer pretokenizer(*scanner, specials);
  const PaddedText text("one  " + kEnd + " two" + kEnd + kEnd);
  const std::vector<Piece> expected = {{{0, 3}, -1},   {{3, 5}, -1},  {{5, 18}, 0},
                                       {{18, 22}, -1}, {{22, 35}, 0}, {{35, 48}, 0}};
  BOOST_TEST((pieces(pretokenizer, text) == expected));
}

BOOST_AUTO_TEST_CASE(an_empty_text_has_no_blocks) {
  const auto scanner = make_scanner(Pattern::kGpt2);
  const SpecialTokens specials({kEnd});
  Pretokenizer pretokenizer(*scanner, specials);
  const PaddedText empty("");
  BOOST_TEST(pieces(pretokenizer, empty).empty());
  BOOST_TEST(pretokenizer.next().size == 0);
  BOOST_TEST(pieces(pretokenizer, PaddedText("again")).size() == 1);
}

BOOST_AUTO_TEST_CASE(any_window_gives_what_scanning_stretches_whole_gives) {
  Random random(1);
  for (const Pattern pattern : {Pattern::kGpt2, Pattern::kWhitespace, Pattern::kNone}) {
    const auto scanner = make_scanner(pattern);
    for (int i = 0; i < 1'000; ++i) {
      const std::vector<std::string>& tokens = random.pick(token_sets());
      const SpecialTokens specials(tokens);
      const PaddedText text(text_with_specials(random, tokens, random.below(30)));
      const std::vector<Piece> expected = slow_pieces(*scanner, specials, text);
      for (std::size_t window = 1; window <= 64; window += random.between(1, 4)) {
        Pretokenizer pretokenizer(*scanner, specials, window);
        BOOST_REQUIRE_MESSAGE(pieces(pretokenizer, text) == expected,
                              pattern_name(pattern) << ", window " << window << ": " << escaped(text));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(without_specials_too) {
  Random random(2);
  const SpecialTokens none;
  for (const Pattern pattern : {Pattern::kGpt2, Pattern::kWhitespace, Pattern::kNone}) {
    const auto scanner = make_scanner(pattern);
    for (int i = 0; i < 300; ++i) {
      const PaddedText text(random.join(test::nasty_atoms(), random.below(60)));
      Pretokenizer pretokenizer(*scanner, none, random.between(1, 64));
      BOOST_REQUIRE_MESSAGE(pieces(pretokenizer, text) == slow_pieces(*scanner, none, text), escaped(text));
    }
  }
}

BOOST_AUTO_TEST_CASE(a_pattern_without_safe_cuts_is_scanned_stretch_by_stretch) {
  Random random(3);
  const RegexScanner scanner(kGpt2Regex);
  const SpecialTokens specials({kEnd});
  for (int i = 0; i < 200; ++i) {
    const PaddedText text(text_with_specials(random, specials.tokens(), 6));
    Pretokenizer pretokenizer(scanner, specials, random.between(1, 32));
    BOOST_REQUIRE_MESSAGE(pieces(pretokenizer, text) == slow_pieces(scanner, specials, text), escaped(text));
  }
}

BOOST_AUTO_TEST_CASE(long_texts_lose_nothing_with_the_ordinary_window) {
  Random random(4);
  const auto scanner = make_scanner(Pattern::kGpt2);
  const SpecialTokens specials({kEnd, kEnd + kEnd});
  std::string spelled;
  while (spelled.size() < 400'000) {
    spelled += random.join(test::nasty_atoms(), random.below(2'000));
    spelled += std::string(random.below(20) == 0 ? 70'000 : 0, 'q');  // a pretoken longer than a window
    spelled += random.below(2) == 0 ? kEnd : kEnd + kEnd + kEnd;
  }
  const PaddedText text(spelled);
  Pretokenizer pretokenizer(*scanner, specials);
  const std::vector<Piece> got = pieces(pretokenizer, text);
  BOOST_TEST((got == slow_pieces(*scanner, specials, text)));
  std::size_t at = 0;
  for (const Piece& piece : got) {
    BOOST_REQUIRE(piece.span.begin == at);
    at = piece.span.end;
  }
  BOOST_TEST(at == spelled.size());
}

BOOST_AUTO_TEST_CASE(short_documents_and_specials_alone_fill_blocks) {
  const auto scanner = make_scanner(Pattern::kNone);
  const SpecialTokens specials({"|"});
  for (const char* document : {"a|", "|"}) {
    std::string spelled;
    for (int i = 0; i < 3'000; ++i) spelled += document;
    const PaddedText text(spelled);
    Pretokenizer pretokenizer(*scanner, specials);
    BOOST_TEST((pieces(pretokenizer, text) == slow_pieces(*scanner, specials, text)));
    pretokenizer.start(text);
    BOOST_TEST(pretokenizer.next().full());
  }
}

BOOST_AUTO_TEST_CASE(only_the_end_of_the_text_gives_an_empty_block) {
  const auto scanner = make_scanner(Pattern::kWhitespace);
  const SpecialTokens none;
  Pretokenizer pretokenizer(*scanner, none, 64);
  const PaddedText far("a" + std::string(5 << 20, ' ') + "b");
  BOOST_TEST(pieces(pretokenizer, far).size() == 2);
  BOOST_TEST(pieces(pretokenizer, PaddedText(std::string(5 << 20, '\n'))).empty());
}

BOOST_AUTO_TEST_CASE(long_documents_make_short_blocks) {
  const auto scanner = make_scanner(Pattern::kNone);
  const SpecialTokens specials({"|"});
  std::string spelled;
  for (int i = 0; i < 6; ++i) spelled += std::string(700'000, 'a') + "|";
  const PaddedText text(spelled);
  Pretokenizer pretokenizer(*scanner, specials);
  BOOST_TEST((pieces(pretokenizer, text) == slow_pieces(*scanner, specials, text)));
  pretokenizer.start(text);
  BOOST_TEST(pretokenizer.next().size == 3);
}

BOOST_AUTO_TEST_SUITE_END()
