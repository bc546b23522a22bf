#include "bpe/encoder.h"

#include <boost/test/unit_test.hpp>
#include <cstring>

#include "bpe/naive.h"
#include "text/pretokenizer.h"
#include "text/scanning.h"

using namespace tokmill;
using test::PaddedText;
using test::Random;

namespace {

const std::string kEnd = "<|endoftext|>";

// The ids of a text block by block, each special token as its own id.
template <class Id>
class TextEncoder {
 public:
  explicit TextEncoder(const TokenizerModel& model)
      : model_(model),
        specials_(model.special_texts()),
        scanner_(make_scanner(model.pattern)),
        pretokenizer_(*scanner_, specials_),
        encoder_(model) {}

  std::vector<Id> encode(std::string_view text) {
    std::string bytes;
    IdBuffer<Id> out([&](std::string_view ids) { bytes += ids; });
    pretokenizer_.start(text);
    for (const PretokenBlock* block = &pretokenizer_.next(); block->size > 0; block = &pretokenizer_.next()) {
      encoder_.prepare(*block);
      std::size_t at = 0;
      for (std::size_t i = 0; i < block->special_count; ++i) {
        const auto [entry, index] = block->specials[i];
        encoder_.encode(*block, at, entry, out);
        out.append(static_cast<Id>(model_.specials[index].id));
        at = entry + 1;
      }
      encoder_.encode(*block, at, block->size, out);
    }
    out.flush();
    std::vector<Id> ids(bytes.size() / sizeof(Id));
    if (!ids.empty()) std::memcpy(ids.data(), bytes.data(), bytes.size());
    return ids;
  }
  template <class... Known>
  void learn(const Known&... known) {
    encoder_.learn(known...);
  }
  void expect(std::uint64_t text) { encoder_.expect(text); }
  std::uint64_t misses() const { return encoder_.misses(); }

 private:
  const TokenizerModel& model_;
  SpecialTokens specials_;
  std::unique_ptr<const Scanner> scanner_;
  Pretokenizer pretokenizer_;
  Encoder<Id> encoder_;
};

// The same by the merge loop alone, pretoken by pretoken.
template <class Id>
std::vector<Id> slow_encode(const TokenizerModel& model, const PaddedText& text) {
  const SpecialTokens specials(model.special_texts());
  const auto scanner = make_scanner(model.pattern);
  MergeLoop<Id> loop(model);
  std::vector<Id> out;
  for (const char* at = text.begin();;) {
    const SpecialTokens::Match match = specials.find(at, text.end(), text.end());
    for (const test::Span& span : test::spans(*scanner, text.begin(), at, match ? match.begin : text.end())) {
      const auto& ids = loop.encode(text.view().substr(span.begin, span.end - span.begin));
      for (const std::uint32_t id : ids) out.push_back(static_cast<Id>(id));
    }
    if (!match) return out;
    out.push_back(static_cast<Id>(model.specials[match.index].id));
    at = match.end;
  }
}

// Words of a few letters, words that fill blocks, long words, runs of signs, nasty bytes, special tokens.
std::string random_text(Random& random, std::size_t parts) {
  std::string out;
  while (parts-- > 0) {
    switch (random.below(8)) {
      case 0:
        out += test::nasty_text(random, 12);
        break;
      case 1:
        out += kEnd;
        break;
      case 2:
        out += std::string(random.between(1, 600), random.pick<char>({'a', 'x', '-', ' ', '7'}));
        break;
      case 3:  // more ids than a slot holds, in few bytes
        out += " " + random.join({"q", "z", "j", "\u00E9"}, random.between(4, 14));
        break;
      case 4:
        out += " " + random.join({"a", "b", "c"}, random.between(10, 300));
        break;
      default:
        out += " " + random.join({"a", "b", "c"}, random.between(1, 12));
    }
  }
  return out;
}

TokenizerModel trained_model(Random& random) {
  const auto words = test::random_words(random, " abc", 200, 12, 50);
  return test::model_of(train(test::source_of(words), {random.between(10, 600), 1}), {kEnd});
}

template <class Id>
void compare(const TokenizerModel& model, Random& random, int texts, std::size_t parts) {
  TextEncoder<Id> encoder(model);
  for (int i = 0; i < texts; ++i) {
    const PaddedText text(random_text(random, random.between(1, parts)));
    const std::vector<Id> expected = slow_encode<Id>(model, text);
    if (random.below(4) == 0) encoder.expect(random.below(100'000'000));
    BOOST_REQUIRE(encoder.encode(text) == expected);
    const std::uint64_t misses = encoder.misses();
    BOOST_REQUIRE(encoder.encode(text) == expected);
    BOOST_REQUIRE(encoder.misses() == misses);  // all is in the table now
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(encoder_test)

BOOST_AUTO_TEST_CASE(equals_the_merge_loop_pretoken_by_pretoken) {
  Random random(1);
  for (int i = 0; i < 5; ++i) {
    const TokenizerModel model = trained_model(random);
    compare<std::uint16_t>(model, random, 20, 60);
    compare<std::uint32_t>(model, random, 20, 60);
  }
}

BOOST_AUTO_TEST_CASE(equals_it_on_texts_of_many_blocks) {
  Random random(2);
  const TokenizerModel model = trained_model(random);
  compare<std::uint16_t>(model, random, 1, 20'000);
  compare<std::uint32_t>(model, random, 1, 20'000);
}

BOOST_AUTO_TEST_CASE(equals_it_for_foreign_models_and_other_patterns) {
  Random random(3);
  for (const Pattern pattern : {Pattern::kGpt2, Pattern::kWhitespace, Pattern::kNone}) {
    for (const bool ignore_merges : {false, true}) {
      TokenizerModel model = test::random_model(random, " abcq", 300);
      add_special(model, kEnd);
      model.pattern = pattern;
      model.ignore_merges = ignore_merges;
      compare<std::uint16_t>(model, random, 10, 30);
    }
  }
}

BOOST_AUTO_TEST_CASE(ids_beyond_16_bits) {
  TokenizerModel model;
  for (int byte = 0; byte < 256; ++byte) model.tokens.emplace_back(1, static_cast<char>(byte));
  model.tokens.resize(70'000);
  model.tokens.push_back("ab");
  model.merges = {{'a', 'b', 70'000}};
  add_special(model, kEnd);
  TextEncoder<std::uint32_t> encoder(model);
  const std::vector<std::uint32_t> expected = {70'000, 70'000, 70'001, ' ', 70'000, '!'};
  for (int pass = 0; pass < 2; ++pass) {
    BOOST_TEST(encoder.encode(PaddedText("abab" + kEnd + " ab!")) == expected,
               boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(more_pretokens_than_the_table_holds) {
  const test::Words words = {{" 12", 9}, {"34", 5}, {"567", 3}};
  const TokenizerModel model = test::model_of(train(test::source_of(words), {20, 1}));
  std::string spelled;
  for (int i = 0; i < 600'000; ++i) spelled += " " + std::to_string(i);
  spelled += spelled.substr(spelled.size() / 2);
  const PaddedText text(spelled);
  TextEncoder<std::uint16_t> encoder(model);
  BOOST_TEST((encoder.encode(text) == slow_encode<std::uint16_t>(model, text)));
}

BOOST_AUTO_TEST_CASE(what_was_learnt_beforehand_is_known_and_changes_nothing) {
  Random random(5);
  const TokenizerModel model = trained_model(random);
  const PaddedText text(" aab abc - a pretoken of ten or more letters:" + std::string(200, 'q') + kEnd +
                        " aab");
  std::vector<std::string> pretokens;
  for (const test::Span& span : test::spans(*make_scanner(Pattern::kGpt2), text)) {
    pretokens.emplace_back(text.view().substr(span.begin, span.end - span.begin));
  }
  pretokens.insert(pretokens.end(), {"others", std::string(600, 'z')});
  TextEncoder<std::uint16_t> encoder(model), other(model);
  encoder.learn(pretokens);
  BOOST_TEST((encoder.encode(text) == slow_encode<std::uint16_t>(model, text)));
  BOOST_TEST(encoder.misses() == 0);
  other.encode(text);
  BOOST_TEST(other.misses() > 0);
}

BOOST_AUTO_TEST_CASE(what_a_file_knows_is_taken_over_and_changes_nothing) {
  Random random(6);
  const TokenizerModel model = trained_model(random);
  const PaddedText text(" aab abc - a pretoken of ten or more letters:" + std::string(200, 'q') + " aab");
  MergeLoop<std::uint32_t> loop(model);
  KnownPretokens known;
  for (const test::Span& span : test::spans(*make_scanner(Pattern::kGpt2), text)) {
    for (const std::uint32_t id : loop.encode(text.view().substr(span.begin, span.end - span.begin))) {
      known.ids.push_back(id);
    }
    known.ends.push_back(known.ids.size());
  }
  TextEncoder<std::uint16_t> encoder(model);
  TextEncoder<std::uint32_t> wide(model);
  for (int twice = 0; twice < 2; ++twice) {
    encoder.learn(known, model);
    wide.learn(known, model);
    encoder.learn(std::vector<std::string>{" aab", std::string(200, 'q')});
  }
  BOOST_TEST((encoder.encode(text) == slow_encode<std::uint16_t>(model, text)));
  BOOST_TEST((wide.encode(text) == slow_encode<std::uint32_t>(model, text)));
  BOOST_TEST(encoder.misses() == 0);
  BOOST_TEST(wide.misses() == 0);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_spelled_is_not_learnt) {
  TokenizerModel model;
  model.tokens = {"a", " "};
  TextEncoder<std::uint16_t> encoder(model);
  encoder.learn(std::vector<std::string>{"aba", " aa", std::string(40, 'b')});
  BOOST_TEST(encoder.encode(PaddedText("a aa")).size() == 4);
  BOOST_CHECK_THROW(encoder.encode(PaddedText("aba")), UnspellableByte);
}

BOOST_AUTO_TEST_CASE(a_megabyte_that_is_one_pretoken) {
  Random random(4);
  const TokenizerModel model = trained_model(random);
  const PaddedText text(std::string(1 << 20, 'a') + " b " + random.join({"a", "b", "c"}, 1 << 20));
  TextEncoder<std::uint16_t> encoder(model);
  const auto expected = slow_encode<std::uint16_t>(model, text);
  for (int pass = 0; pass < 2; ++pass) BOOST_TEST((encoder.encode(text) == expected));
}

BOOST_AUTO_TEST_CASE(a_byte_that_the_vocabulary_cannot_spell_is_named_where_it_stands) {
  TokenizerModel model;
  model.tokens = {"a", " "};
  TextEncoder<std::uint16_t> encoder(model);
  const PaddedText text("aaa a aaaaaaaaaaaaaaaaaaaaaaab a");
  const auto place = static_cast<std::ptrdiff_t>(text.view().find('b'));
  BOOST_CHECK_EXCEPTION(encoder.encode(text), UnspellableByte,
                        [&](const UnspellableByte& error) { return error.place - text.begin() == place; });
}

BOOST_AUTO_TEST_SUITE_END()
