#include "text/pair_search.h"

#include <boost/test/unit_test.hpp>
#include <vector>

#include "support.h"
#include "text/instruction_set.h"

using namespace tokmill;
using test::Random;

namespace {

const char* slow_skip(const char* p, const char* end, const std::vector<BytePair>& pairs) {
  for (; end - p >= kPairStep; p += kPairStep) {
    for (const char* q = p; q < p + kPairStep; ++q) {
      for (const BytePair& pair : pairs) {
        if (q[0] == pair[0] && q[1] == pair[1]) return p;
      }
    }
  }
  return p;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(pair_search_test)

BOOST_AUTO_TEST_CASE(agrees_with_a_slow_search_under_each_instruction_set) {
  for (const std::string& instructions : instruction_sets()) {
    const PairSearch skip = pair_search(instructions);
    Random random(1);
    for (int i = 0; i < 3'000; ++i) {
      const std::vector<char> alphabet = i % 2 == 0 ? std::vector<char>{'<', '|', 'a'}
                                                    : std::vector<char>{'\0', '\xFF', '\x7F', '\x80', 'a'};
      std::string text(random.below(400) + 1, 'a');  // the last one may be read, but nothing begins there
      for (std::size_t k = random.below(4); k-- > 0;) text[random.below(text.size())] = random.pick(alphabet);
      if (random.below(2) == 0) {
        for (std::size_t k = text.size() / 100 + 1; k-- > 0;) {
          const std::size_t at = random.below(text.size());
          text[at] = random.pick(alphabet);
          if (at + 1 < text.size()) text[at + 1] = random.pick(alphabet);
        }
      }
      std::vector<BytePair> pairs(random.between(1, 4));
      for (BytePair& pair : pairs) pair = {random.pick(alphabet), random.pick(alphabet)};
      const char* const end = text.data() + text.size() - 1;
      for (std::size_t begin = 0; begin < std::min<std::size_t>(text.size(), 3); ++begin) {
        const char* const p = text.data() + begin;
        BOOST_REQUIRE(skip(p, end, pairs.data(), pairs.size()) == slow_skip(p, end, pairs));
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
