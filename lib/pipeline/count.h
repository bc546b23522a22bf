// Counts the pretokens of a corpus into one table.
#pragma once

#include <string>
#include <vector>

#include "format/count_table.h"
#include "pipeline/corpus.h"
#include "pipeline/run_directory.h"
#include "pipeline/run_options.h"
#include "text/scanner.h"

namespace tokmill {

struct CountOptions {
  Pattern pattern = Pattern::kGpt2;
  std::vector<std::string> specials;
  std::uint64_t shard_size = 64 << 20;  // bytes of text: the longest range
};

/// Counts with forked workers, and merges what they counted. Leaves the table at `table`, its parts in the
/// run directory. `wanted` is kPlain for a table that is soon removed; a large one is compressed all the
/// same. Adds the stages "count" and "merge" to the report, and fills in its numbers.
void count_corpus(const Corpus& corpus, const CountOptions& options, const RunOptions& run,
                  const RunDirectory& directory, const std::string& table, TableStorage wanted,
                  RunReport& report);

/// Adds tables into one. All must have been counted with the same pattern, special tokens and Unicode
/// version.
void merge_tables(const std::vector<std::string>& tables, const RunOptions& run,
                  const RunDirectory& directory, const std::string& table, TableStorage wanted,
                  RunReport& report);

/// The verbs `count` and `merge`: the same with a run directory of their own.
RunReport run_count(const Corpus& corpus, const CountOptions& options, const RunOptions& run,
                    const std::string& table);
RunReport run_merge(const std::vector<std::string>& tables, const RunOptions& run, const std::string& table);

}  // namespace tokmill
