// Options that mean the same in every stage, and what a run reports at its end.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/progress.h"
#include "pipeline/worker_pool.h"

namespace tokmill {

struct RunOptions {
  unsigned jobs = 1;
  std::uint64_t memory = UINT64_MAX;  // bytes, for all processes together
  std::string tmp;                    // directory for intermediate files; empty: beside the output
  ProgressSink progress;

  /// How many workers there are: fewer than `jobs` where the memory would be too little for each. Throws
  /// UsageError where it is too little for one.
  unsigned workers() const;
  /// Bytes that each of `workers()` may take for its tables: an equal share of what the processes themselves
  /// leave.
  std::uint64_t share() const { return share_of(workers()); }
  /// The same for so many workers.
  std::uint64_t share_of(unsigned number) const;

  /// The options of a pool for a stage; the rest is to be filled in.
  PoolOptions pool(const std::string& stage, std::size_t tasks, std::uint64_t total_bytes) const;
};

/// What a stage took, and its parts where it knows them.
struct StageCost {
  std::string name;
  double seconds = 0;
  std::uint64_t peak_memory = 0;  // of all processes together; 0: not known
  std::vector<StageCost> parts = {};

  /// The stage had at least the memory that its parts had, if nobody looked at the right moment.
  void set_parts(std::vector<StageCost> all);
};

/// The final report. Numbers that a verb does not know stay 0 and are left out.
struct RunReport {
  std::string verb;
  std::string output;  // path
  bool already_done = false;
  std::uint64_t bytes = 0, documents = 0, pretokens = 0, distinct = 0, tokens = 0, shards = 0,
                output_bytes = 0;
  std::vector<StageCost> stages;
  boost::json::object extra;  // what only this verb has to say

  void add_stage(const std::string& name, const PoolResult& result);
  double seconds() const;
  std::uint64_t peak_memory() const;
  boost::json::object to_json() const;
};

}  // namespace tokmill
