#include "format/count_table_reader.h"

#include <boost/test/unit_test.hpp>

#include "format/tables.h"
#include "io/coding.h"
#include "io/scratch.h"

using namespace tokmill;
using namespace tokmill::test;
using count_table_format::kBlock;
using count_table_format::kPartitions;

namespace {

/// Where the footer of a table's file begins.
std::size_t footer_begin(const std::string& file) {
  return file.size() - 24 - get_fixed<std::uint64_t>(file.data() + file.size() - 24);
}

std::string verify_error(const std::string& path) {
  return error_of([&] { CountTableReader(path).verify(); });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(count_table_reader_test)

BOOST_AUTO_TEST_CASE(entries_come_back_in_order) {
  const ScratchDirectory scratch;
  Random random(65);
  for (const std::size_t count : {0u, 1u, 2u, 64u, 5000u}) {
    const std::vector<Entry> entries = random_entries(random, count, 40);
    write_table(scratch / "table", entries);
    const CountTableReader table(scratch / "table");
    table.verify();
    BOOST_TEST(table.path() == scratch / "table");
    BOOST_TEST((read_table(table) == entries));
    for (const std::size_t i : {kPartitions - 1, std::size_t{17}, std::size_t{0}}) {  // any partition alone
      std::vector<Entry> expected;
      for (const Entry& entry : entries) {
        if (CountTableOrder(entry.pretoken).partition() == i) expected.push_back(entry);
      }
      BOOST_TEST((read_partition(table, i) == expected));
    }
  }
}

BOOST_AUTO_TEST_CASE(entries_may_be_longer_than_a_block) {
  const ScratchDirectory scratch;
  Random random(66);
  std::vector<Entry> entries = random_entries(random, 50, 10);
  for (const std::size_t size : {kBlock - 5, kBlock, kBlock + 1, 3 * kBlock + 7}) {
    entries.push_back({random.bytes(size), size});
    entries.push_back({std::string(size, 'x'), 1});
  }
  sort_entries(entries);
  write_table(scratch / "table", entries);
  const CountTableReader table(scratch / "table");
  table.verify();
  BOOST_TEST((read_table(table) == entries));
}

BOOST_AUTO_TEST_CASE(a_partition_may_have_many_blocks) {
  const ScratchDirectory scratch;
  Random random(67);
  std::vector<Entry> entries;
  while (entries.size() < 300) {  // all in one partition, each a hundredth of a block
    std::string pretoken = random.bytes(kBlock / 100);
    if (CountTableOrder(pretoken).partition() == 5)
      entries.push_back({std::move(pretoken), entries.size() + 1});
  }
  sort_entries(entries);
  write_table(scratch / "table", entries);
  const CountTableReader table(scratch / "table");
  table.verify();
  BOOST_TEST((read_partition(table, 5) == entries));
  BOOST_TEST(read_partition(table, 4).empty());
}

BOOST_AUTO_TEST_CASE(counts_have_64_bits) {
  const ScratchDirectory scratch;
  for (const std::uint64_t count : {std::uint64_t{1}, std::uint64_t{127}, std::uint64_t{128},
                                    std::uint64_t{1} << 32, std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
    write_table(scratch / "table", {{"a", count}});
    const CountTableReader table(scratch / "table");
    BOOST_TEST((read_table(table) == std::vector<Entry>{{"a", count}}));
    BOOST_TEST(table.info().pretokens == count);
  }
}

BOOST_AUTO_TEST_CASE(stored_bytes_come_in_order_and_whole) {
  const ScratchDirectory scratch;
  Random random(68);
  write_table(scratch / "table", random_entries(random, 500, 30));
  const CountTableReader table(scratch / "table");
  const std::string file = take_file(scratch / "table");
  std::string stored = "TOKMILL1";
  for (std::size_t i = 0; i < kPartitions; ++i) {
    table.read_stored(i, [&](std::string_view piece) { stored += piece; });
  }
  BOOST_TEST((stored == file.substr(0, footer_begin(file))));
}

BOOST_AUTO_TEST_CASE(every_flipped_bit_is_found) {
  const ScratchDirectory scratch;
  Random random(69);
  const std::string path = scratch / "table";
  write_table(path, random_entries(random, 8, 12));
  const std::string file = take_file(path);
  BOOST_TEST(verify_error(path) == "");
  std::size_t unseen = 0;
  for_each_flip(path, 0, file.size(), [&](std::size_t, int) { unseen += verify_error(path).empty(); });
  BOOST_TEST(unseen == 0);
  BOOST_TEST(verify_error(path) == "");
}

BOOST_AUTO_TEST_CASE(damaged_entries_are_an_error_or_other_entries) {
  const ScratchDirectory scratch;
  Random random(70);
  const std::string path = scratch / "table";
  write_table(path, random_entries(random, 10, 12));
  const std::string file = take_file(path);
  std::size_t errors = 0;
  for_each_flip(path, count_table_format::kMagic.size(), footer_begin(file), [&](std::size_t at, int bit) {
    const CountTableReader table(path);  // its footer is whole
    const std::string error = error_of([&] {
      for (std::size_t i = 0; i < kPartitions; ++i) {
        if (table.entries(i) > 0) read_partition(table, i);
      }
    });
    errors += !error.empty();
    BOOST_TEST((error.empty() || error.starts_with(path + ": ")), at << " bit " << bit << ": " << error);
  });
  BOOST_TEST(errors > 0);
}

BOOST_AUTO_TEST_CASE(damage_is_named_with_its_place) {
  const ScratchDirectory scratch;
  Random random(71);
  const std::string path = scratch / "table";
  write_table(path, random_entries(random, 8, 12));
  std::string file = take_file(path);
  file[8] ^= 1;
  put_file(path, file);
  BOOST_TEST(says(verify_error(path), path + ": byte 8: damaged count table: partition "));
}

BOOST_AUTO_TEST_CASE(a_file_cut_anywhere_is_an_error) {
  const ScratchDirectory scratch;
  Random random(72);
  const std::string path = scratch / "table";
  write_table(path, random_entries(random, 20, 12));
  std::size_t unseen = 0;
  for_each_cut(path, [&](std::size_t) { unseen += error_of([&] { CountTableReader table(path); }).empty(); });
  BOOST_TEST(unseen == 0);
}

BOOST_AUTO_TEST_CASE(bytes_between_the_partitions_and_the_footer_are_noticed) {
  const ScratchDirectory scratch;
  Random random(74);
  const std::string path = scratch / "table";
  write_table(path, random_entries(random, 20, 12));
  const std::string file = take_file(path);
  put_file(path, file.substr(0, footer_begin(file)) + "more" + file.substr(footer_begin(file)));
  BOOST_TEST(says(error_of([&] { CountTableReader table(path); }), "its partitions do not add up"));
}

BOOST_AUTO_TEST_CASE(other_files_are_refused) {
  const ScratchDirectory scratch;
  Random random(73);
  for (const std::string& bytes :
       {std::string(), random.bytes(31), random.bytes(1000), std::string("TOKMILL1"),
        "TOKMILL1" + random.bytes(100), "TOKMILL1" + random.bytes(100) + "TOKMILL1"}) {
    put_file(scratch / "file", bytes);
    BOOST_TEST(says(error_of([&] { CountTableReader table(scratch / "file"); }), scratch / "file: "));
  }
  put_file(scratch / "file", random.bytes(1000));
  BOOST_TEST(says(error_of([&] { CountTableReader table(scratch / "file"); }), "is not a count table"));
  BOOST_CHECK_THROW(CountTableReader(scratch / "missing"), Error);
}

BOOST_AUTO_TEST_SUITE_END()
