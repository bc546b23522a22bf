#include "pipeline/shard_tasks.h"

#include <boost/test/unit_test.hpp>
#include <vector>

using namespace tokmill;

namespace {

std::vector<ShardTask> all(const ShardTasks& tasks) {
  std::vector<ShardTask> list;
  for (std::size_t i = 0; i < tasks.size(); ++i) list.push_back(tasks[i]);
  return list;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(shard_tasks_test)

BOOST_AUTO_TEST_CASE(shards_without_parts_are_one_range_each) {
  BOOST_TEST(
      (all(ShardTasks(3)) == std::vector<ShardTask>{{0, 0, 1, true}, {1, 1, 2, true}, {2, 2, 3, true}}));
  BOOST_TEST(ShardTasks(3).shards() == 3u);
  BOOST_TEST(ShardTasks().size() == 0u);
  BOOST_TEST(ShardTasks().shards() == 0u);
}

BOOST_AUTO_TEST_CASE(shards_come_before_parts_from_the_last_one_on) {
  const ShardTasks tasks(3, 2);
  BOOST_TEST(tasks.shards() == 2u);
  BOOST_TEST((all(tasks) ==
              std::vector<ShardTask>{
                  {0, 0, 2, true}, {1, 2, 3, true}, {1, 2, 3, false}, {0, 1, 2, false}, {0, 0, 1, false}}));
}

BOOST_AUTO_TEST_CASE(or_parts_come_first) {
  BOOST_TEST((all(ShardTasks(3, 2, true)) ==
              std::vector<ShardTask>{
                  {0, 0, 1, false}, {0, 1, 2, false}, {1, 2, 3, false}, {0, 0, 2, true}, {1, 2, 3, true}}));
}

BOOST_AUTO_TEST_CASE(each_range_is_in_one_shard_and_its_part_is_found_by_number) {
  for (const bool parts_first : {false, true}) {
    for (std::size_t ranges = 1; ranges < 20; ++ranges) {
      for (std::size_t parts = 2; parts < 8; ++parts) {
        const ShardTasks tasks(ranges, parts, parts_first);
        std::vector<int> in_shards(ranges);
        for (const ShardTask& task : all(tasks)) {
          BOOST_REQUIRE((task.first < task.end && task.end <= ranges));
          for (std::size_t i = task.first; task.is_whole && i < task.end; ++i) ++in_shards[i];
        }
        BOOST_TEST((in_shards == std::vector<int>(ranges, 1)));
        for (std::size_t i = 0; i < ranges; ++i) {
          BOOST_REQUIRE((tasks[tasks.number_of_part(i)] == tasks.part(i)));
          const ShardTask shard = tasks.shard(tasks.part(i).shard);
          BOOST_REQUIRE((shard.first <= i && i < shard.end));
        }
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
