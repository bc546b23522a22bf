#include "pipeline/run_options.h"

#include <algorithm>
#include <utility>

#include "io/error.h"
#include "io/memory.h"

namespace tokmill {

namespace {

constexpr std::uint64_t kProcess = 8 << 20;      // what a process takes beside its tables
constexpr std::uint64_t kLeastShare = 16 << 20;  // for tables, so that work gets done between two spills

// Seconds and peak memory by name, as two members of the report.
void put_costs(boost::json::object& object, const std::string& of, const std::vector<StageCost>& costs) {
  boost::json::object seconds, memory;
  for (const StageCost& cost : costs) {
    seconds[cost.name] = cost.seconds;
    if (cost.peak_memory != 0) memory[cost.name] = cost.peak_memory;
  }
  object[of + "_seconds"] = std::move(seconds);
  object[of + "_peak_memory"] = std::move(memory);
}

}  // namespace

unsigned RunOptions::workers() const {
  constexpr std::uint64_t kLeast = 2 * kProcess + kLeastShare;
  if (memory < kLeast) {
    throw UsageError("--memory " + spell_size(memory) + " is too small: at least " + spell_size(kLeast) +
                     " is needed");
  }
  return static_cast<unsigned>(
      std::min<std::uint64_t>(std::max(1u, jobs), (memory - kProcess) / (kProcess + kLeastShare)));
}

std::uint64_t RunOptions::share_of(unsigned number) const {
  return (memory - kProcess) / number - kProcess;
}

PoolOptions RunOptions::pool(const std::string& stage, std::size_t tasks, std::uint64_t total_bytes) const {
  PoolOptions options;
  options.stage = stage;
  options.jobs = workers();
  options.tasks = tasks;
  options.total = total_bytes;
  options.progress = progress;
  return options;
}

void StageCost::set_parts(std::vector<StageCost> all) {
  parts = std::move(all);
  for (const StageCost& part : parts) peak_memory = std::max(peak_memory, part.peak_memory);
}

void RunReport::add_stage(const std::string& name, const PoolResult& result) {
  stages.push_back({name, result.seconds, result.peak_memory});
}

double RunReport::seconds() const {
  double total = 0;
  for (const StageCost& stage : stages) total += stage.seconds;
  return total;
}

std::uint64_t RunReport::peak_memory() const {
  std::uint64_t most = 0;
  for (const StageCost& stage : stages) most = std::max(most, stage.peak_memory);
  return most;
}

boost::json::object RunReport::to_json() const {
  boost::json::object object{{"verb", verb}, {"output", output}, {"already_done", already_done}};
  const auto put = [&](const char* name, std::uint64_t value) {
    if (value != 0) object[name] = value;
  };
  put("bytes", bytes);
  put("documents", documents);
  put("pretokens", pretokens);
  put("distinct_pretokens", distinct);
  put("tokens", tokens);
  put("shards", shards);
  put("output_bytes", output_bytes);
  if (tokens != 0) object["bytes_per_token"] = static_cast<double>(bytes) / static_cast<double>(tokens);
  put_costs(object, "stage", stages);
  for (const StageCost& stage : stages) {
    if (!stage.parts.empty()) put_costs(object, stage.name, stage.parts);
  }
  object["seconds"] = seconds();
  if (seconds() > 0) object["mb_per_second"] = static_cast<double>(bytes) / 1e6 / seconds();
  put("peak_memory", peak_memory());
  for (const auto& member : extra) object[member.key()] = member.value();
  return object;
}

}  // namespace tokmill
