#include "format/count_table_writer.h"

#include <zstd.h>

#include <boost/test/unit_test.hpp>
#include <numeric>

#include "format/tables.h"
#include "io/coding.h"
#include "io/scratch.h"

using namespace tokmill;
using namespace tokmill::test;
using count_table_format::kPartitions;

namespace {

/// The entries in a table's file, found by the grammar of count_table_format.h from its first block on. The
/// plain lengths of its blocks go to `blocks`.
std::vector<Entry> slow_entries(std::string_view file, std::vector<std::uint64_t>* blocks = nullptr) {
  const auto footer = get_fixed<std::uint64_t>(file.data() + file.size() - 24);
  const char* p = file.data() + 8;
  const char* const end = file.data() + file.size() - 24 - footer;
  std::vector<Entry> out;
  while (p != end) {
    const auto stored = get_fixed<std::uint64_t>(p), plain = get_fixed<std::uint64_t>(p + 8);
    if (blocks != nullptr) blocks->push_back(plain);
    std::string block(plain, '\0');
    if (stored == plain) {
      block.assign(p + 16, stored);
    } else if (ZSTD_decompress(block.data(), plain, p + 16, stored) != plain) {
      throw std::runtime_error("bad block");
    }
    p += 16 + stored;
    const char* at = block.data();
    for (const char* const block_end = at + plain; at != block_end;) {
      std::uint64_t length, count;
      if (!get_varint(at, block_end, length)) throw std::runtime_error("bad length");
      std::string pretoken(at, length);
      at += length;
      if (!get_varint(at, block_end, count)) throw std::runtime_error("bad count");
      out.push_back({std::move(pretoken), count});
    }
  }
  return out;
}

std::uint64_t sum_of_counts(const std::vector<Entry>& entries) {
  return std::accumulate(entries.begin(), entries.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const Entry& entry) { return sum + entry.count; });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(count_table_writer_test)

BOOST_AUTO_TEST_CASE(the_file_keeps_to_its_grammar) {
  const ScratchDirectory scratch;
  Random random(61);
  for (const std::size_t count : {0u, 1u, 5u, 3000u}) {
    const std::vector<Entry> entries = random_entries(random, count, 60);
    write_table(scratch / "table", entries);
    const std::string file = take_file(scratch / "table");
    BOOST_TEST(file.substr(0, 8) == "TOKMILL1");
    BOOST_TEST(file.substr(file.size() - 8) == "TOKMILL1");
    BOOST_TEST((slow_entries(file) == entries));
  }
}

// A reader needs the memory of a block.
BOOST_AUTO_TEST_CASE(a_block_ends_with_the_entry_that_fills_it) {
  const ScratchDirectory scratch;
  std::vector<Entry> entries;
  for (std::size_t i = 0; entries.size() < 1000; ++i) {  // all in one partition
    std::string pretoken = std::to_string(i) + std::string(994, 'x');
    if (CountTableOrder(pretoken).partition() == 63) entries.push_back({std::move(pretoken), 1});
  }
  sort_entries(entries);
  write_table(scratch / "table", entries);
  std::vector<std::uint64_t> blocks;
  BOOST_TEST((slow_entries(take_file(scratch / "table"), &blocks) == entries));
  BOOST_TEST(blocks.size() == 4);
  for (std::size_t i = 0; i + 1 < blocks.size(); ++i) {
    BOOST_TEST(blocks[i] >= count_table_format::kBlock);
    BOOST_TEST(blocks[i] < count_table_format::kBlock + 1010);
  }
}

BOOST_AUTO_TEST_CASE(fills_in_the_totals) {
  const ScratchDirectory scratch;
  Random random(62);
  const std::vector<Entry> entries = random_entries(random, 1000, 20);
  CountTableInfo wrong = some_info();
  wrong.pretokens = wrong.distinct = 7;
  CountTableWriter writer(scratch / "table");
  for (const Entry& entry : entries) writer.add(CountTableOrder(entry.pretoken), entry.count);
  BOOST_TEST(writer.distinct() == 1000);
  writer.commit(wrong);

  const CountTableReader table(scratch / "table");
  BOOST_TEST(table.info().same_cut(some_info()));
  BOOST_TEST(table.info().bytes == some_info().bytes);
  BOOST_TEST(table.info().documents == some_info().documents);
  BOOST_TEST(table.info().distinct == 1000);
  BOOST_TEST(table.info().pretokens == sum_of_counts(entries));
  std::uint64_t distinct = 0, pretokens = 0;
  for (std::size_t i = 0; i < kPartitions; ++i) {
    BOOST_TEST(table.entries(i) == read_partition(table, i).size());
    BOOST_TEST(table.pretokens(i) == sum_of_counts(read_partition(table, i)));
    distinct += table.entries(i);
    pretokens += table.pretokens(i);
  }
  BOOST_TEST(distinct == table.info().distinct);
  BOOST_TEST(pretokens == table.info().pretokens);
}

BOOST_AUTO_TEST_CASE(equal_entries_give_equal_files_however_they_come) {
  const ScratchDirectory scratch;
  Random random(63);
  const std::vector<Entry> entries = random_entries(random, 2000, 30);
  write_table(scratch / "added", entries);
  const CountTableReader added(scratch / "added");

  CountTableWriter copier(scratch / "copied");
  for (std::size_t i = 0; i < kPartitions; ++i) copier.copy_partition(added, i);
  BOOST_TEST(copier.distinct() == 2000);
  copier.commit(some_info());
  BOOST_TEST((take_file(scratch / "copied") == take_file(scratch / "added")));

  CountTableWriter mixer(scratch / "mixed");
  for (std::size_t i = 0; i < kPartitions; ++i) {
    if (random.below(2) == 0) {
      mixer.copy_partition(added, i);
    } else {
      for (const Entry& entry : read_partition(added, i))
        mixer.add(CountTableOrder(entry.pretoken), entry.count);
    }
  }
  mixer.commit(some_info());
  BOOST_TEST((take_file(scratch / "mixed") == take_file(scratch / "added")));
}

BOOST_AUTO_TEST_CASE(a_plain_table_holds_the_same) {
  const ScratchDirectory scratch;
  Random random(66);
  const std::vector<Entry> entries = random_entries(random, 4000, 400);
  write_table(scratch / "compressed", entries);
  write_table(scratch / "plain", entries, some_info(), TableStorage::kPlain);
  const CountTableReader compressed(scratch / "compressed"), plain(scratch / "plain");
  plain.verify();
  BOOST_TEST((compressed.storage() == TableStorage::kCompressed));
  BOOST_TEST((plain.storage() == TableStorage::kPlain));
  BOOST_TEST((slow_entries(take_file(scratch / "plain")) == slow_entries(take_file(scratch / "compressed"))));
  for (std::size_t i = 0; i < kPartitions; ++i) {
    BOOST_TEST((read_partition(plain, i) == read_partition(compressed, i)));
  }
  BOOST_TEST(plain.info().pretokens == compressed.info().pretokens);
}

BOOST_AUTO_TEST_CASE(a_damaged_partition_is_not_copied) {
  const ScratchDirectory scratch;
  Random random(64);
  write_table(scratch / "table", random_entries(random, 200, 10));
  std::string file = take_file(scratch / "table");
  file[100] ^= 4;
  put_file(scratch / "table", file);
  const CountTableReader table(scratch / "table");
  BOOST_TEST(says(error_of([&] {
                    CountTableWriter writer(scratch / "copy");
                    for (std::size_t i = 0; i < kPartitions; ++i) writer.copy_partition(table, i);
                    writer.commit(some_info());
                  }),
                  scratch / "table: byte "));
  BOOST_TEST(!std::filesystem::exists(scratch / "copy"));
}

BOOST_AUTO_TEST_CASE(the_footer_holds_what_is_given_to_it) {
  const ScratchDirectory scratch;
  CountTableWriter writer(scratch / "table");
  writer.commit(some_info(), {{"task", 7}, {"inputs", {"a", "b"}}});
  const CountTableReader table(scratch / "table");
  BOOST_TEST(table.footer().at("task") == 7);
  BOOST_TEST(table.footer().at("inputs").as_array().size() == 2);
  BOOST_TEST(table.footer().at("pattern") == "gpt2");
}

BOOST_AUTO_TEST_CASE(appears_at_commit) {
  const ScratchDirectory scratch;
  { CountTableWriter(scratch / "table").add(CountTableOrder("a"), 1); }
  BOOST_TEST(std::filesystem::is_empty(scratch.path()));
}

BOOST_AUTO_TEST_SUITE_END()
