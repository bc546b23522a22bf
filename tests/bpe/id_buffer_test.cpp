#include "bpe/id_buffer.h"

#include <boost/test/unit_test.hpp>
#include <cstring>
#include <vector>

#include "support.h"

using namespace tokmill;
using test::Random;

namespace {

template <class Id>
void compare_with_a_vector(std::uint64_t seed) {
  Random random(seed);
  std::string taken;
  IdBuffer<Id> buffer([&](std::string_view bytes) { taken += bytes; });
  std::vector<Id> expected;
  const auto random_id = [&] { return static_cast<Id>(random.below(std::size_t{1} << (8 * sizeof(Id)))); };
  for (int i = 0; i < 3'000; ++i) {
    const std::size_t kind = random.below(8);
    if (kind == 0) {
      buffer.flush();
      BOOST_REQUIRE(taken.size() == expected.size() * sizeof(Id));
    } else if (kind < 3) {
      expected.push_back(random_id());
      buffer.append(expected.back());
    } else if (kind < 5) {
      std::vector<std::uint32_t> ids(random.below(random.below(50) == 0 ? 200'000 : 10));
      for (std::uint32_t& id : ids) expected.push_back(static_cast<Id>(id = random_id()));
      buffer.append(ids);
    } else {
      const std::size_t count = random.below(random.below(20) == 0 ? IdBuffer<Id>::kRoom + 1 : 20);
      Id* at = buffer.room(count);
      for (std::size_t used = random.below(count + 1); used > 0; --used) {
        expected.push_back(random_id());
        *at++ = expected.back();
      }
      buffer.advance_to(at);
    }
    BOOST_REQUIRE(buffer.total() == expected.size());
  }
  buffer.flush();
  BOOST_REQUIRE(taken.size() == expected.size() * sizeof(Id));
  BOOST_TEST(std::memcmp(taken.data(), expected.data(), taken.size()) == 0);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(id_buffer_test)

BOOST_AUTO_TEST_CASE(hands_on_every_id_in_order) {
  compare_with_a_vector<std::uint16_t>(1);
  compare_with_a_vector<std::uint32_t>(2);
}

BOOST_AUTO_TEST_SUITE_END()
