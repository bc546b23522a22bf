#include "bpe/symbol_table.h"

#include <boost/test/unit_test.hpp>

#include "bpe/naive.h"

using namespace tokmill;
using test::Random;

namespace {

int sign(int number) {
  return number < 0 ? -1 : number > 0;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(symbol_table_test)

BOOST_AUTO_TEST_CASE(begins_with_the_bytes) {
  const SymbolTable symbols(TieBreak::kBytes);
  BOOST_REQUIRE(symbols.size() == 256);
  for (std::size_t byte = 0; byte < 256; ++byte) {
    BOOST_REQUIRE(symbols.bytes(byte) == std::string(1, static_cast<char>(byte)));
  }
}

BOOST_AUTO_TEST_CASE(a_symbol_without_bytes_takes_a_number) {
  SymbolTable symbols(TieBreak::kBytes);
  symbols.add_empty();
  symbols.add('a', 'b');
  BOOST_TEST(symbols.size() == 258);
  BOOST_TEST(symbols.bytes(256) == "");
  BOOST_TEST(symbols.bytes(257) == "ab");
}

BOOST_AUTO_TEST_CASE(the_order_is_that_of_the_bytes) {
  Random random(3);
  for (int trial = 0; trial < 50; ++trial) {
    SymbolTable symbols(TieBreak::kBytes);
    std::vector<std::string> strings;
    for (int byte = 0; byte < 256; ++byte) strings.emplace_back(1, static_cast<char>(byte));
    // Of few different bytes, so that many begin alike; some are much longer than eight.
    const std::vector<std::size_t> alphabet = {0, 'a', random.below(256), 255};
    std::vector<std::size_t> some = alphabet;
    for (int i = 0; i < 60; ++i) {
      const std::size_t a = some[random.below(some.size())], b = some[random.below(some.size())];
      some.push_back(symbols.size());
      symbols.add(a, b);
      strings.push_back(strings[a] + strings[b]);
      BOOST_REQUIRE(symbols.bytes(some.back()) == strings.back());
    }
    for (const std::size_t a : some) {
      for (const std::size_t b : some) {
        BOOST_REQUIRE(sign(symbols.compare(a, b)) == sign(strings[a].compare(strings[b])));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(for_hugging_face_the_smaller_id_wins) {
  SymbolTable symbols(TieBreak::kHf);
  symbols.add('a', 'b');
  symbols.add('z', 'z');
  const std::string bytes = test::hf_bytes();
  std::vector<std::size_t> by_id;
  for (const char byte : bytes) by_id.push_back(static_cast<unsigned char>(byte));
  by_id.push_back(256);
  by_id.push_back(257);
  for (std::size_t i = 0; i < by_id.size(); ++i) {
    for (std::size_t k = 0; k < by_id.size(); ++k) {
      BOOST_REQUIRE(sign(symbols.compare(by_id[i], by_id[k])) == (i < k) - (i > k));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
