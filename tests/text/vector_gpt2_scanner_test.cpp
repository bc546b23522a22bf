#include "text/vector_gpt2_scanner.h"

#include <boost/test/unit_test.hpp>

#include "text/regex_scanner.h"
#include "text/scanning.h"

using namespace tokmill;
using test::escaped;
using test::nasty_atoms;
using test::nasty_text;
using test::PaddedText;
using test::Random;
using test::spans;

namespace {

// Compares every instruction set with the scalar scanner, which is compared with the regular expression
// elsewhere.
void check(std::string_view text) {
  static const Gpt2Scanner scalar;
  const PaddedText padded(text);
  const auto expected = spans(scalar, padded);
  for (const VectorTarget& target : vector_targets()) {
    if (spans(VectorGpt2Scanner(target), padded) == expected) continue;
    BOOST_ERROR(std::string(target.name) + " differs on " + escaped(text));
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(vector_gpt2_scanner_test)

BOOST_AUTO_TEST_CASE(there_is_a_vector_scanner_on_common_machines) {
#if defined(__x86_64__) || defined(__aarch64__)
  BOOST_TEST(!vector_targets().empty());
#endif
}

BOOST_AUTO_TEST_CASE(equals_the_scalar_scanner_on_nasty_texts) {
  Random random(1);
  for (int i = 0; i < 8'000; ++i) check(nasty_text(random, 120));
  for (int i = 0; i < 100; ++i) check(nasty_text(random, 4000));
}

BOOST_AUTO_TEST_CASE(equals_the_regular_expression) {
  const RegexScanner twin(kGpt2Regex);
  Random random(2);
  for (int i = 0; i < 3'000; ++i) {
    const PaddedText text(nasty_text(random, 150));
    const auto expected = spans(twin, text);
    for (const VectorTarget& target : vector_targets()) {
      if (spans(VectorGpt2Scanner(target), text) == expected) continue;
      BOOST_ERROR(std::string(target.name) + " differs on " + escaped(text.view()));
    }
  }
}

BOOST_AUTO_TEST_CASE(every_pair_of_atoms_at_every_place_around_a_block_edge) {
  for (const std::string& first : nasty_atoms()) {
    for (const std::string& second : nasty_atoms()) {
      for (const std::size_t before : {60u, 61u, 62u, 63u}) {
        check(std::string(before, 'a') + first + second + "b ");
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_text_may_end_anywhere) {
  Random random(3);
  for (int i = 0; i < 60; ++i) {
    const std::string text = random.join(nasty_atoms(), 90);
    for (std::size_t size = text.size() > 140 ? text.size() - 140 : 0; size <= text.size(); ++size) {
      check(std::string_view(text).substr(0, size));
    }
  }
}

BOOST_AUTO_TEST_CASE(blocks_fill_up_and_scans_go_on) {
  check(std::string(5000, 'a'));
  std::string dense;
  for (int i = 0; i < 5000; ++i) dense += "a1";
  check(dense);
  std::string mixed;
  for (int i = 0; i < 3000; ++i) mixed += i % 7 == 0 ? std::string(1 + i % 200, 'x') : "\u4E00.";
  check(mixed);
}

BOOST_AUTO_TEST_CASE(appends_to_a_block_that_holds_pretokens) {
  const PaddedText text("one two 3 four, five's six");
  for (const VectorTarget& target : vector_targets()) {
    const VectorGpt2Scanner scanner(target);
    PretokenBlock block;
    block.clear(text.begin());
    const char* const middle = text.begin() + 7;
    BOOST_TEST(scanner.scan(text.begin(), middle, block) == middle);
    BOOST_TEST(scanner.scan(middle, text.end(), block) == text.end());
    BOOST_TEST(block.size == 8u);
    BOOST_TEST(block[0] == "one");
    BOOST_TEST(block[2] == " 3");
    BOOST_TEST(block[6] == "'s");
    BOOST_TEST(block[7] == " six");
  }
}

BOOST_AUTO_TEST_SUITE_END()
