// Adds count tables.
#pragma once

#include <cstddef>
#include <vector>

#include "format/count_table_reader.h"
#include "format/count_table_writer.h"

namespace tokmill {

/// Writes the sum of one partition of all tables, in canonical order. Time: entries x log(tables); memory: a
/// block for each table.
void merge_partition(const std::vector<const CountTableReader*>& tables, std::size_t partition,
                     CountTableWriter& writer);

}  // namespace tokmill
