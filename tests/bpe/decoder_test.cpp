#include "bpe/decoder.h"

#include <boost/test/unit_test.hpp>

#include "support.h"

using namespace tokmill;
using test::Random;

namespace {

template <class Id>
std::string_view view(const std::vector<Id>& ids) {
  return {reinterpret_cast<const char*>(ids.data()), ids.size() * sizeof(Id)};
}

template <class Id>
void compare_with_joined_tokens(Random& random) {
  for (int i = 0; i < 100; ++i) {
    TokenizerModel model;
    for (std::size_t k = random.between(1, 400); k > 0; --k) {
      const std::size_t kind = random.below(10);
      model.tokens.push_back(random.bytes(kind == 0   ? 0
                                          : kind == 1 ? random.between(14, 18)
                                          : kind == 2 ? random.below(500)
                                                      : random.between(1, 9)));
    }
    model.tokens.push_back("last");
    const Decoder decoder(model);
    std::string expected = random.bytes(random.below(20)), out = expected;  // what is there already stays
    std::vector<Id> ids;
    for (std::size_t k = random.below(2'000); k > 0; --k) {
      const auto id = static_cast<Id>(random.below(model.tokens.size()));
      if (model.tokens[id].empty()) continue;
      ids.push_back(id);
      expected += model.tokens[id];
    }
    std::size_t bad = 0;
    BOOST_REQUIRE(decoder.decode(view(ids), sizeof(Id), out, bad));
    BOOST_REQUIRE(out == expected);
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(decoder_test)

BOOST_AUTO_TEST_CASE(joins_the_bytes_of_the_tokens) {
  Random random(1);
  compare_with_joined_tokens<std::uint16_t>(random);
  compare_with_joined_tokens<std::uint32_t>(random);
}

BOOST_AUTO_TEST_CASE(stops_at_an_id_that_is_no_token) {
  TokenizerModel model;
  model.tokens = {"ab", "", "cd"};
  const Decoder decoder(model);
  const auto decode = [&]<class Id>(const std::vector<Id>& ids) {
    std::string out = ">";
    std::size_t bad = 99;
    const bool whole = decoder.decode(view(ids), sizeof(Id), out, bad);
    return out + (whole ? "" : " but " + std::to_string(bad));
  };
  BOOST_TEST(decode(std::vector<std::uint16_t>{0, 2, 0}) == ">abcdab");
  BOOST_TEST(decode(std::vector<std::uint16_t>{0, 2, 3, 0}) == ">abcd but 2");  // beyond the vocabulary
  BOOST_TEST(decode(std::vector<std::uint16_t>{0, 1}) == ">ab but 1");          // not in use
  BOOST_TEST(decode(std::vector<std::uint32_t>{2, 65'536}) == ">cd but 1");
  BOOST_TEST(decode(std::vector<std::uint32_t>{UINT32_MAX}) == "> but 0");
  BOOST_TEST(decode(std::vector<std::uint32_t>{}) == ">");
}

BOOST_AUTO_TEST_SUITE_END()
