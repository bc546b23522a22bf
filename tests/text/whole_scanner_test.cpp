#include "text/whole_scanner.h"

#include <boost/test/unit_test.hpp>

#include "text/scanning.h"

using namespace tokmill;

BOOST_AUTO_TEST_SUITE(whole_scanner_test)

BOOST_AUTO_TEST_CASE(a_text_is_one_pretoken) {
  BOOST_TEST((test::spell(WholeScanner(), " aaa\nbbb \xFF") == std::vector<std::string>{" aaa\nbbb \xFF"}));
  BOOST_TEST(test::spell(WholeScanner(), "").empty());
}

BOOST_AUTO_TEST_CASE(a_full_block_takes_no_more) {
  const test::PaddedText text("abc");
  PretokenBlock block;
  block.clear(text.begin());
  block.size = PretokenBlock::kEnough;
  BOOST_TEST((WholeScanner().scan(text.begin(), text.end(), block) == text.begin()));
  BOOST_TEST(block.size == PretokenBlock::kEnough);
}

BOOST_AUTO_TEST_CASE(never_may_be_cut) {
  const test::PaddedText text("a b");
  BOOST_TEST((WholeScanner().first_safe_cut(text.begin(), text.begin(), text.end()) == nullptr));
  BOOST_TEST((WholeScanner().last_safe_cut(text.begin(), text.end()) == nullptr));
}

BOOST_AUTO_TEST_SUITE_END()
