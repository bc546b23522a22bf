// Count tables as maps.
#pragma once

#include <boost/test/unit_test.hpp>
#include <map>
#include <string>

#include "format/count_table_format.h"
#include "format/count_table_reader.h"
#include "format/count_table_writer.h"

namespace tokmill::test {

using Counts = std::map<std::string, std::uint64_t>;

/// All entries of a table; they must be in canonical order, each once.
inline Counts read_counts(const std::string& path) {
  const CountTableReader table(path);
  table.verify();
  Counts counts;
  std::string before;
  for (std::size_t partition = 0; partition < count_table_format::kPartitions; ++partition) {
    CountTableReader::Entries entries(table, partition);
    while (entries.next()) {
      const CountTableOrder order(entries.pretoken());
      BOOST_REQUIRE(order.partition() == partition);
      if (!counts.empty()) BOOST_REQUIRE((CountTableOrder(before) < order));
      before = entries.pretoken();
      counts[before] = entries.count();
    }
  }
  BOOST_REQUIRE(table.info().distinct == counts.size());
  return counts;
}

/// Writes a map as a table.
inline void write_counts(const std::string& path, const Counts& counts, const CountTableInfo& info = {}) {
  std::map<std::pair<std::uint64_t, std::string>, std::uint64_t> ordered;
  for (const auto& [pretoken, count] : counts) ordered[{CountTableOrder(pretoken).hash, pretoken}] = count;
  CountTableWriter writer(path);
  for (const auto& [order, count] : ordered) writer.add(CountTableOrder(order.first, order.second), count);
  writer.commit(info);
}

}  // namespace tokmill::test
