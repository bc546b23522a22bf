#include "bpe/table_merge.h"

#include <boost/test/unit_test.hpp>
#include <memory>

#include "bpe/counting.h"
#include "io/error.h"
#include "io/scratch.h"
#include "support.h"

using namespace tokmill;
using test::Counts;
using test::Random;
using test::ScratchDirectory;

namespace {

Counts merged(const ScratchDirectory& directory, const std::vector<Counts>& tables) {
  std::vector<std::unique_ptr<CountTableReader>> readers;
  std::vector<const CountTableReader*> sources;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const std::string path = directory / ("part-" + std::to_string(i));
    test::write_counts(path, tables[i]);
    readers.push_back(std::make_unique<CountTableReader>(path));
    sources.push_back(readers.back().get());
  }
  CountTableWriter writer(directory / "sum");
  for (std::size_t partition = 0; partition < count_table_format::kPartitions; ++partition) {
    merge_partition(sources, partition, writer);
  }
  writer.commit({});
  return test::read_counts(directory / "sum");
}

}  // namespace

BOOST_AUTO_TEST_SUITE(table_merge_test)

BOOST_AUTO_TEST_CASE(agrees_with_a_map) {
  Random random(1);
  const ScratchDirectory directory;
  for (int i = 0; i < 30; ++i) {
    std::vector<Counts> tables(random.between(1, i % 10 == 0 ? 60 : 6));
    Counts sum;
    const std::size_t different = random.pick<std::size_t>({5, 300, 100'000});
    for (Counts& table : tables) {
      for (std::size_t k = random.below(400); k > 0; --k) {
        std::string pretoken = std::to_string(random.below(different));
        if (random.below(5) == 0) pretoken += std::string(1 + random.below(500), 'z');
        const std::uint64_t count = random.below(10) == 0 ? std::uint64_t{1} << 45 : random.between(1, 300);
        table[pretoken] += count;
        sum[pretoken] += count;
      }
    }
    BOOST_REQUIRE(merged(directory, tables) == sum);
  }
}

BOOST_AUTO_TEST_CASE(tables_of_several_blocks) {
  Random random(2);
  const ScratchDirectory directory;
  std::vector<Counts> tables(3);
  Counts sum;
  for (Counts& table : tables) {
    for (int k = 0; k < 300; ++k) {
      const std::string pretoken(40'000 + random.below(200), static_cast<char>(random.below(4)));
      table[pretoken] += 2;
      sum[pretoken] += 2;
    }
  }
  BOOST_TEST((merged(directory, tables) == sum));
}

BOOST_AUTO_TEST_CASE(empty_tables_add_nothing) {
  const ScratchDirectory directory;
  BOOST_TEST(merged(directory, {{}, {}}).empty());
  BOOST_TEST((merged(directory, {{}, {{"a", 3}}, {}}) == Counts{{"a", 3}}));
}

BOOST_AUTO_TEST_CASE(a_sum_beyond_64_bits_is_an_error) {
  const ScratchDirectory directory;
  const std::uint64_t half = std::uint64_t{1} << 63;
  BOOST_TEST((merged(directory, {{{"a", half}}, {{"a", half - 1}}}) == Counts{{"a", half + (half - 1)}}));
  BOOST_CHECK_THROW(merged(directory, {{{"a", half}}, {{"a", half}}}), Error);
}

BOOST_AUTO_TEST_SUITE_END()
