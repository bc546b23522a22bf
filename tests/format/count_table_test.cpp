#include "format/count_table.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/test/unit_test.hpp>
#include <set>

#include "format/tables.h"

using namespace tokmill;
using namespace tokmill::test;
namespace json = boost::json;

BOOST_AUTO_TEST_SUITE(count_table_test)

BOOST_AUTO_TEST_CASE(tables_add_up_where_the_text_was_cut_in_the_same_way) {
  CountTableInfo info = some_info();
  info.pretokens = 10;
  info.distinct = 4;
  CountTableInfo other = info;
  other.bytes = 1;
  other.documents = 2;
  other.pretokens = 3;
  BOOST_TEST(info.same_cut(other));
  info.add(other);
  BOOST_TEST(info.bytes == 123'457);
  BOOST_TEST(info.documents == 80);
  BOOST_TEST(info.pretokens == 13);
  BOOST_TEST(info.distinct == 4);  // not known before the entries are merged

  other.pattern = "none";
  BOOST_TEST(!info.same_cut(other));
  other = info;
  other.specials.pop_back();
  BOOST_TEST(!info.same_cut(other));
  other = info;
  other.unicode = "15.0";
  BOOST_TEST(!info.same_cut(other));
}

BOOST_AUTO_TEST_CASE(goes_to_json_and_back) {
  CountTableInfo info = some_info();
  info.pretokens = ~std::uint64_t{0};
  info.distinct = std::uint64_t{1} << 63;
  const CountTableInfo back =
      CountTableInfo::from_json(json::parse(json::serialize(info.to_json())).as_object());
  BOOST_TEST(back.same_cut(info));
  BOOST_TEST(back.bytes == info.bytes);
  BOOST_TEST(back.documents == info.documents);
  BOOST_TEST(back.pretokens == info.pretokens);
  BOOST_TEST(back.distinct == info.distinct);
  for (const auto& member : info.to_json()) {
    json::object lacking = info.to_json();
    lacking.erase(member.key());
    BOOST_CHECK_THROW(CountTableInfo::from_json(lacking), std::exception);
  }
}

BOOST_AUTO_TEST_CASE(the_order_is_by_hash_and_then_by_bytes) {
  Random random(60);
  std::set<std::size_t> partitions;
  for (int i = 0; i < 1000; ++i) {
    const std::string a = random.bytes(random.below(20)), b = random.bytes(random.below(20));
    const std::uint64_t hash_a = XXH3_64bits(a.data(), a.size()), hash_b = XXH3_64bits(b.data(), b.size());
    BOOST_TEST((CountTableOrder(a) < CountTableOrder(b)) == (std::pair(hash_a, a) < std::pair(hash_b, b)));
    BOOST_TEST((CountTableOrder(a) == CountTableOrder(hash_a, a)));
    BOOST_TEST(CountTableOrder(a).partition() == hash_a / (std::uint64_t{1} << 58));
    partitions.insert(CountTableOrder(a).partition());
  }
  BOOST_TEST(partitions.size() == count_table_format::kPartitions);
  BOOST_TEST((CountTableOrder(5, "a") < CountTableOrder(5, "b")));
  BOOST_TEST((CountTableOrder(5, "a") < CountTableOrder(5, "a\x01")));
  BOOST_TEST((CountTableOrder(5, "\x7F") < CountTableOrder(5, "\x80")));  // as raw bytes
  BOOST_TEST((CountTableOrder(5, "b") < CountTableOrder(6, "a")));
}

BOOST_AUTO_TEST_SUITE_END()
