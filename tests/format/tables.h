// What the tests of count tables share: random entries, a table written from them, and read back.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "format/count_table_reader.h"
#include "format/count_table_writer.h"
#include "support.h"

namespace tokmill::test {

struct Entry {
  std::string pretoken;
  std::uint64_t count;
  bool operator==(const Entry&) const = default;
};

/// Puts entries into the order of a table, by the words of its grammar.
inline void sort_entries(std::vector<Entry>& entries) {
  std::ranges::sort(entries, {}, [](const Entry& entry) {
    return std::pair<std::uint64_t, std::string>(XXH3_64bits(entry.pretoken.data(), entry.pretoken.size()),
                                                 entry.pretoken);
  });
}

/// Distinct pretokens of 1 to `longest` random bytes, in the order of a table.
inline std::vector<Entry> random_entries(Random& random, std::size_t count, std::size_t longest) {
  std::map<std::string, std::uint64_t> distinct;
  while (distinct.size() < count) {
    distinct[random.bytes(random.between(1, longest))] =
        random.between(1, random.pick<std::size_t>({3, 100'000}));
  }
  std::vector<Entry> entries;
  for (const auto& [pretoken, n] : distinct) entries.push_back({pretoken, n});
  sort_entries(entries);
  return entries;
}

inline CountTableInfo some_info() {
  CountTableInfo info;
  info.pattern = "gpt2";
  info.specials = {"<|endoftext|>", "<|pad|>"};
  info.unicode = "16.0";
  info.bytes = 123'456;
  info.documents = 78;
  return info;
}

inline void write_table(const std::string& path, const std::vector<Entry>& entries,
                        const CountTableInfo& info = some_info(),
                        TableStorage storage = TableStorage::kCompressed) {
  CountTableWriter writer(path, storage);
  for (const Entry& entry : entries) writer.add(CountTableOrder(entry.pretoken), entry.count);
  writer.commit(info);
}

inline std::vector<Entry> read_partition(const CountTableReader& table, std::size_t partition) {
  std::vector<Entry> out;
  CountTableReader::Entries entries(table, partition);
  while (entries.next()) out.push_back({std::string(entries.pretoken()), entries.count()});
  return out;
}

inline std::vector<Entry> read_table(const CountTableReader& table) {
  std::vector<Entry> out;
  for (std::size_t i = 0; i < count_table_format::kPartitions; ++i) {
    for (Entry& entry : read_partition(table, i)) out.push_back(std::move(entry));
  }
  return out;
}

}  // namespace tokmill::test
