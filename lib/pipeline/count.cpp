// A worker counts range after range in one table, and writes it out when there is no range left, when it has
// grown over the worker's share of the memory, or when it has worked for a minute, so that little is lost if
// it is stopped. Each file written names the ranges that it covers; a resumed run counts the others. Which
// ranges share a file is chance; the sum is not.
#include "pipeline/count.h"

#include <algorithm>
#include <boost/json/value_from.hpp>
#include <boost/json/value_to.hpp>
#include <chrono>
#include <filesystem>
#include <memory>
#include <span>

#include "bpe/pretoken_counter.h"
#include "bpe/table_merge.h"
#include "io/atomic_file.h"
#include "io/error.h"
#include "pipeline/plan.h"
#include "pipeline/range_reader.h"
#include "text/documents.h"
#include "text/pretokenizer.h"
#include "text/unicode_classes.h"

namespace tokmill {

namespace fs = std::filesystem;
namespace json = boost::json;

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kWriteEvery = std::chrono::minutes(1);
constexpr std::uint64_t kLeastShare = 8 << 20;  // bytes: a worker's table is not written out below this
constexpr std::uint64_t kMostRanges = 64;  // of a small corpus: enough to keep all workers busy to the end
constexpr std::uint64_t kLeastRange = 1 << 20;
constexpr std::size_t kPartitions = count_table_format::kPartitions;

// The tables that workers have left in the run directory, by path.
std::vector<std::string> find_parts(const RunDirectory& directory) {
  std::vector<std::string> paths;
  for (const auto& entry : fs::directory_iterator(directory.path())) {
    const std::string name = entry.path().filename();
    if (name.starts_with("count-") && name.ends_with(".table")) paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  return paths;
}

std::vector<std::size_t> ranges_of(const CountTableReader& part) {
  return json::value_to<std::vector<std::size_t>>(part.footer().at("ranges"));
}

// Which ranges are counted; a part that does not hold what it should is removed.
std::vector<bool> find_counted(const RunDirectory& directory, std::size_t ranges) {
  std::vector<bool> done(ranges);
  for (const std::string& path : find_parts(directory)) {
    try {
      const CountTableReader part(path);
      part.verify();
      for (const std::size_t range : ranges_of(part)) done.at(range) = true;
    } catch (const std::exception&) {
      remove_file(path);
    }
  }
  return done;
}

// What one worker does.
class RangeCounter {
 public:
  RangeCounter(const Corpus& corpus, const std::vector<Range>& plan, const SpecialTokens& specials,
               const Scanner& scanner, const RunDirectory& directory, const CountTableInfo& empty,
               std::uint64_t share)
      : corpus_(corpus),
        plan_(plan),
        pretokenizer_(scanner, specials),
        directory_(directory),
        empty_(empty),
        info_(empty),
        share_(share),
        written_(Clock::now()) {}

  void run(Worker& worker) {
    while (const auto task = worker.next()) {
      for_each_segment(corpus_, plan_[*task],
                       [&](std::string_view text, const Segment& segment) { count(text, segment, worker); });
      ranges_.push_back(*task);
      if (counter_.memory() > share_ || Clock::now() - written_ > kWriteEvery) write(worker);
    }
    if (!ranges_.empty()) write(worker);
  }

 private:
  void count(std::string_view text, const Segment& segment, Worker& worker) {
    DocumentTracker documents(SeparatorRule::kNone);
    documents.start(segment.within_document);
    const auto see = [&](const DocumentTracker::Step& step) { info_.documents += step.ends_document; };
    const char* rest = text.data();  // what follows the last special token
    pretokenizer_.start(text);
    for (const PretokenBlock* block = &pretokenizer_.next(); block->size > 0; block = &pretokenizer_.next()) {
      counter_.add(*block);
      std::size_t at = 0;
      for (std::size_t i = 0; i < block->special_count; ++i) {
        if (block->specials[i].entry > at) see(documents.text());
        see(documents.separator());
        rest = block->base + block->end[block->specials[i].entry];
        at = block->specials[i].entry + 1;
      }
      if (at < block->size) see(documents.text());
    }
    if (rest != text.data() + text.size()) see(documents.text());
    if (segment.ends_file) see(documents.end_of_file());
    info_.bytes += text.size();
    worker.add(Worker::kBytes, text.size());
  }

  void write(Worker& worker) {
    CountTableWriter writer(directory_.file("count-" + std::to_string(ranges_.front()) + ".table"));
    counter_.write(writer);
    writer.commit(info_, {{"ranges", json::value_from(ranges_)}});
    for (const std::size_t range : ranges_) worker.done(range);
    ranges_.clear();
    counter_.clear();
    info_ = empty_;
    written_ = Clock::now();
  }

  const Corpus& corpus_;
  const std::vector<Range>& plan_;
  Pretokenizer pretokenizer_;
  const RunDirectory& directory_;
  const CountTableInfo& empty_;
  CountTableInfo info_;
  std::uint64_t share_;
  Clock::time_point written_;
  PretokenCounter counter_;
  std::vector<std::size_t> ranges_;  // counted and not yet written
};

// Writes the sum of several tables: partitions are added in parallel, each to a table of its own, and then
// copied together.
void merge_parts(const std::vector<std::string>& paths, const RunOptions& run, const RunDirectory& directory,
                 const std::string& table, RunReport& report) {
  std::vector<std::unique_ptr<CountTableReader>> readers;
  std::vector<const CountTableReader*> sources;
  std::uint64_t bytes = 0;
  for (const std::string& path : paths) {
    readers.push_back(std::make_unique<CountTableReader>(path));
    sources.push_back(readers.back().get());
    bytes += File(path).size();
    if (!sources.back()->info().same_cut(sources.front()->info())) {
      throw Error::at(
          path, "was counted with another pattern, other special tokens or another Unicode version than " +
                    paths.front() + "; such counts cannot be added");
    }
  }
  CountTableInfo info = sources.front()->info();
  for (const CountTableReader* source : std::span(sources).subspan(1)) info.add(source->info());

  const auto part_path = [&](std::size_t partition) {
    return directory.file("merged-" + std::to_string(partition) + ".table");
  };
  PoolResult result;
  if (sources.size() > 1) {
    PoolOptions pool = run.pool("merge", kPartitions, bytes);
    result = run_pool(pool, [&](Worker& worker) {
      // Files opened before the fork would share their offsets, but all reads are at offsets of their own.
      while (const auto partition = worker.next()) {
        CountTableWriter writer(part_path(*partition));
        merge_partition(sources, *partition, writer);
        writer.commit(info);
        worker.add(Worker::kBytes, bytes / kPartitions);
        worker.done(*partition);
      }
    });
  }
  const auto began = Clock::now();
  CountTableWriter writer(table);
  for (std::size_t partition = 0; partition < kPartitions; ++partition) {
    InterruptGuard::check();
    if (sources.size() == 1) {
      writer.copy_partition(*sources.front(), partition);
    } else {
      writer.copy_partition(CountTableReader(part_path(partition)), partition);
      remove_file(part_path(partition));
    }
  }
  report.distinct = writer.distinct();
  writer.commit(info);
  result.seconds += std::chrono::duration<double>(Clock::now() - began).count();
  report.add_stage("merge", result);
  report.bytes = info.bytes;
  report.documents = info.documents;
  report.pretokens = info.pretokens;
}

// Says before the work that its result could not be written.
void prepare_output(const std::string& table) {
  if (fs::is_directory(table)) throw Error::at(table, "is a directory, not a file; give another output");
  const fs::path parent = fs::path(table).parent_path();
  if (!parent.empty()) make_directories(parent);
}

}  // namespace

void count_corpus(const Corpus& corpus, const CountOptions& options, const RunOptions& run,
                  const RunDirectory& directory, const std::string& table, RunReport& report) {
  const SpecialTokens specials(options.specials);
  const auto scanner = make_scanner(options.pattern);
  CountTableInfo empty;
  empty.pattern = pattern_name(options.pattern);
  empty.specials = options.specials;
  std::ranges::sort(empty.specials);
  empty.unicode = kUnicodeVersion;

  PlanOptions plan_options;
  plan_options.range_size = std::min(
      options.shard_size, std::max(corpus.bytes() / kMostRanges, std::min(options.shard_size, kLeastRange)));
  const std::vector<Range> plan = make_plan(corpus, specials, *scanner, plan_options);

  const std::uint64_t share = std::max(kLeastShare, run.memory / std::max(1u, run.jobs) / 4 * 3);
  PoolOptions pool = run.pool("count", plan.size(), corpus.bytes());
  pool.find_done = [&] { return find_counted(directory, plan.size()); };
  pool.describe = [&](std::size_t range) { return plan[range].describe(corpus); };
  report.add_stage("count", run_pool(pool, [&](Worker& worker) {
                     RangeCounter(corpus, plan, specials, *scanner, directory, empty, share).run(worker);
                   }));

  std::vector<std::string> parts = find_parts(directory);
  if (parts.empty()) {  // nothing to count
    CountTableWriter(directory.file("count-0.table")).commit(empty, {{"ranges", json::array()}});
    parts = find_parts(directory);
  }
  merge_parts(parts, run, directory, table, report);
  for (const std::string& part : parts) remove_file(part);
}

void merge_tables(const std::vector<std::string>& tables, const RunOptions& run,
                  const RunDirectory& directory, const std::string& table, RunReport& report) {
  for (const std::string& path : tables) CountTableReader(path).verify();
  merge_parts(tables, run, directory, table, report);
}

RunReport run_count(const Corpus& corpus, const CountOptions& options, const RunOptions& run,
                    const std::string& table) {
  prepare_output(table);
  const InterruptGuard guard;
  RunReport report;
  report.verb = "count";
  report.output = table;
  RunDirectory directory(run_directory_path(run.tmp, table, table + ".run"),
                         describe_run("count", corpus.to_json(),
                                      {{"pattern", pattern_name(options.pattern)},
                                       {"specials", json::value_from(options.specials)},
                                       {"shard_size", options.shard_size}}));
  count_corpus(corpus, options, run, directory, table, report);
  report.output_bytes = File(table).size();
  directory.finish();
  return report;
}

RunReport run_merge(const std::vector<std::string>& tables, const RunOptions& run, const std::string& table) {
  prepare_output(table);
  const InterruptGuard guard;
  RunReport report;
  report.verb = "merge";
  report.output = table;
  RunDirectory directory(run_directory_path(run.tmp, table, table + ".run"),
                         describe_run("merge", find_corpus(tables).to_json(), {}));
  merge_tables(tables, run, directory, table, report);
  report.output_bytes = File(table).size();
  directory.finish();
  return report;
}

}  // namespace tokmill
