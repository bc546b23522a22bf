// A worker counts range after range in one table, and writes it out when there is no range left, or when it
// has worked for a minute, so that little is lost if it is stopped. Each file written names the ranges that
// it covers; a resumed run counts the others. Which ranges share a file is chance; the sum is not.
//
// A table that would grow over the worker's share of the memory is spilled, be it in the midst of a range.
// Spills count only together with the file that is written at the end of the range and says how many they
// are.
#include "pipeline/count.h"

#include <algorithm>
#include <boost/json/value_from.hpp>
#include <boost/json/value_to.hpp>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>

#include "bpe/pretoken_counter.h"
#include "bpe/table_merge.h"
#include "io/atomic_file.h"
#include "io/error.h"
#include "io/memory.h"
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
constexpr std::uint64_t kMostRanges = 64;  // of a small corpus: enough to keep all workers busy to the end
constexpr std::uint64_t kLeastRange = 1 << 20;
constexpr std::uint64_t kSearch = 16 << 10;  // bytes: ranges may end anywhere, so the nearest cut is the best
constexpr std::uint64_t kWorthCompressing = 4'000'000;  // different pretokens in a table that is soon removed
constexpr std::uint64_t kWorthForking = 1 << 20;     // bytes of tables: fewer are added sooner in one process
constexpr std::uint64_t kWorthBalancing = 64 << 20;  // the same: fewer need no more tasks than workers
constexpr std::size_t kPartitions = count_table_format::kPartitions;

std::string count_path(const RunDirectory& directory, std::size_t first_range) {
  return directory.file("count-" + std::to_string(first_range) + ".table");
}
std::string spill_path(const RunDirectory& directory, std::size_t first_range, std::size_t number) {
  return directory.file("spill-" + std::to_string(first_range) + "-" + std::to_string(number) + ".table");
}

// How to store a table: plain where that is wanted, if it has few pretokens.
TableStorage storage_for(std::uint64_t distinct, TableStorage wanted) {
  return distinct < kWorthCompressing ? wanted : TableStorage::kCompressed;
}

// What workers have left in the run directory: a table, and the spills that belong to it.
struct Part {
  std::vector<std::string> paths;
  std::vector<std::size_t> ranges;
};

std::vector<Part> find_parts(const RunDirectory& directory) {
  std::vector<std::string> paths;
  for (const auto& entry : fs::directory_iterator(directory.path())) {
    const std::string name = entry.path().filename();
    if (name.starts_with("count-") && name.ends_with(".table")) paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  std::vector<Part> parts;
  for (const std::string& path : paths) {
    try {
      const CountTableReader table(path);
      Part part{{path}, json::value_to<std::vector<std::size_t>>(table.footer().at("ranges"))};
      const auto spills = json::value_to<std::size_t>(table.footer().at("spills"));
      for (std::size_t i = 0; i < spills; ++i) {
        part.paths.push_back(spill_path(directory, part.ranges.at(0), i));
      }
      for (const std::string& file : part.paths) CountTableReader(file).verify();
      parts.push_back(std::move(part));
    } catch (const std::exception&) {
      remove_file(path);  // not what it should be: counted again
    }
  }
  return parts;
}

std::vector<bool> find_counted(const RunDirectory& directory, std::size_t ranges) {
  std::vector<bool> done(ranges);
  for (const Part& part : find_parts(directory)) {
    for (const std::size_t range : part.ranges) done.at(range) = true;
  }
  return done;
}

// What one worker does.
class RangeCounter {
 public:
  RangeCounter(const Corpus& corpus, const std::vector<Range>& plan, const SpecialTokens& specials,
               const Scanner& scanner, const RunDirectory& directory, const CountTableInfo& empty,
               TableStorage wanted, std::uint64_t share, unsigned jobs)
      : corpus_(corpus),
        plan_(plan),
        pretokenizer_(scanner, specials),
        directory_(directory),
        empty_(empty),
        info_(empty),
        wanted_(wanted),
        share_(share),
        written_(Clock::now()),
        counter_(corpus.bytes() / jobs, share) {}

  void run(Worker& worker) {
    while (const auto task = worker.next()) {
      ranges_.push_back(*task);
      for_each_segment(corpus_, plan_[*task],
                       [&](std::string_view text, const Segment& segment) { count(text, segment, worker); });
      if (spills_ > 0 || Clock::now() - written_ > kWriteEvery) write(worker);
    }
    if (!ranges_.empty()) write(worker);
  }

 private:
  void count(std::string_view text, const Segment& segment, Worker& worker) {
    DocumentTracker documents(SeparatorRule::kNone);
    documents.start(segment.within_document, text.data());
    const auto see = [&](const DocumentTracker::Step& step) { info_.documents += step.ends_document; };
    pretokenizer_.start(text);
    for (const PretokenBlock* block = &pretokenizer_.next(); block->size > 0; block = &pretokenizer_.next()) {
      if (!counter_.has_room(*block, share_) && counter_.distinct() > 0) spill();
      counter_.add(*block);
      std::size_t at = 0;
      for (std::size_t i = 0; i < block->special_count; ++i) {
        if (block->specials[i].entry > at) see(documents.text());
        see(documents.separator(block->base + block->end[block->specials[i].entry]));
        at = block->specials[i].entry + 1;
      }
      if (at < block->size) see(documents.text());
    }
    see(documents.end_of_text(text.data() + text.size()));
    if (segment.ends_file) see(documents.end_of_file());
    info_.bytes += text.size();
    worker.add(Worker::kBytes, text.size());
  }

  void spill() {
    write_table(spill_path(directory_, ranges_.front(), spills_), {});
    clear();
    ++spills_;
  }

  void write(Worker& worker) {
    write_table(count_path(directory_, ranges_.front()),
                {{"ranges", json::value_from(ranges_)}, {"spills", spills_}});
    worker.done(ranges_);
    clear();
    ranges_.clear();
    spills_ = 0;
    written_ = Clock::now();
  }

  void write_table(const std::string& path, const json::object& extra) {
    CountTableWriter writer(path, storage_for(counter_.distinct(), wanted_));
    counter_.write(writer);
    writer.commit(info_, extra);
  }

  void clear() {
    counter_.clear();
    info_ = empty_;
  }

  const Corpus& corpus_;
  const std::vector<Range>& plan_;
  Pretokenizer pretokenizer_;
  const RunDirectory& directory_;
  const CountTableInfo& empty_;
  CountTableInfo info_;
  TableStorage wanted_;
  std::uint64_t share_;
  Clock::time_point written_;
  PretokenCounter counter_;
  std::vector<std::size_t> ranges_;  // not yet written; the last may be being counted
  std::size_t spills_ = 0;           // of these ranges
};

// Writes the sum of tables: partitions are added in parallel, each to a table of its own, and then copied
// together; or here, where there is little to add.
CountTableInfo add_tables(const std::vector<std::string>& paths, const RunOptions& run,
                          const RunDirectory& directory, const std::string& table, TableStorage wanted,
                          PoolResult& cost) {
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
  std::uint64_t distinct = info.distinct;  // at most
  for (const CountTableReader* source : std::span(sources).subspan(1)) {
    info.add(source->info());
    distinct += source->info().distinct;
  }
  const TableStorage storage = storage_for(distinct, wanted);

  // Each group of partitions is a task. One for each worker is even enough for tables added in no time.
  const std::size_t groups = sources.size() < 2 || bytes < kWorthForking ? 1
                             : bytes < kWorthBalancing ? std::min<std::size_t>(run.workers(), kPartitions)
                                                       : kPartitions;
  const auto first_of = [&](std::size_t group) { return group * kPartitions / groups; };
  const auto part_path = [&](std::size_t group) {
    return directory.file("merged-" + std::to_string(group) + ".table");
  };
  if (groups > 1) {
    PoolOptions pool = run.pool("merge", groups, bytes);
    const PoolResult result = run_pool(pool, [&](Worker& worker) {
      // Files opened before the fork would share their offsets, but all reads are at offsets of their own.
      while (const auto group = worker.next()) {
        CountTableWriter writer(part_path(*group), storage);
        for (std::size_t i = first_of(*group); i < first_of(*group + 1); ++i)
          merge_partition(sources, i, writer);
        writer.commit(info);
        worker.add(Worker::kBytes, bytes / groups);
        worker.done(*group);
      }
    });
    cost.seconds += result.seconds;
    cost.peak_memory = std::max(cost.peak_memory, result.peak_memory);
  }
  const auto began = Clock::now();
  CountTableWriter writer(table, storage);
  for (std::size_t group = 0; group < groups; ++group) {
    std::optional<CountTableReader> part;
    if (groups > 1) part.emplace(part_path(group));
    for (std::size_t i = first_of(group); i < first_of(group + 1); ++i) {
      InterruptGuard::check();
      if (part) {
        writer.copy_partition(*part, i);
      } else if (sources.size() == 1 && sources.front()->storage() == storage) {
        writer.copy_partition(*sources.front(), i);
      } else {
        merge_partition(sources, i, writer);
      }
    }
    if (part) remove_file(part_path(group));
  }
  info.distinct = writer.distinct();
  writer.commit(info);
  const double seconds = std::chrono::duration<double>(Clock::now() - began).count();
  if (groups == 1 && run.progress) run.progress({"merge", "B", bytes, bytes, seconds, true});
  cost.peak_memory = std::max(cost.peak_memory, own_memory());
  cost.seconds += seconds;
  return info;
}

// The same in rounds where a worker's share of the memory is too small for a block of each table.
void merge_parts(std::vector<std::string> paths, const RunOptions& run, const RunDirectory& directory,
                 const std::string& table, TableStorage wanted, RunReport& report) {
  const std::uint64_t most = std::max<std::uint64_t>(2, run.share() / CountTableReader::Entries::kMemory);
  PoolResult cost;
  for (std::size_t round = 0; paths.size() > most; ++round) {
    std::vector<std::string> sums;
    for (auto begin = paths.begin(); begin != paths.end();) {
      const auto end =
          begin + std::min<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(most), paths.end() - begin);
      sums.push_back(
          directory.file("round-" + std::to_string(round) + "-" + std::to_string(sums.size()) + ".table"));
      add_tables({begin, end}, run, directory, sums.back(), TableStorage::kPlain, cost);
      if (round > 0) std::for_each(begin, end, remove_file);
      begin = end;
    }
    paths = std::move(sums);
  }
  const CountTableInfo info = add_tables(paths, run, directory, table, wanted, cost);
  report.add_stage("merge", cost);
  report.bytes = info.bytes;
  report.documents = info.documents;
  report.pretokens = info.pretokens;
  report.distinct = info.distinct;
}

// Says before the work that its result could not be written.
void prepare_output(const std::string& table) {
  if (fs::is_directory(table)) throw Error::at(table, "is a directory, not a file; give another output");
  const fs::path parent = fs::path(table).parent_path();
  if (!parent.empty()) make_directories(parent);
}

}  // namespace

void count_corpus(const Corpus& corpus, const CountOptions& options, const RunOptions& run,
                  const RunDirectory& directory, const std::string& table, TableStorage wanted,
                  RunReport& report) {
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
  plan_options.search = kSearch;
  const std::vector<Range> plan = make_plan(corpus, specials, *scanner, plan_options);

  PoolOptions pool = run.pool("count", plan.size(), corpus.bytes());
  pool.find_done = [&] { return find_counted(directory, plan.size()); };
  pool.describe = [&](std::size_t range) { return plan[range].describe(corpus); };
  // One worker leaves one table, as a rule, which is then copied.
  const TableStorage of_parts = pool.jobs == 1 ? wanted : TableStorage::kPlain;
  report.add_stage("count", run_pool(pool, [&](Worker& worker) {
                     RangeCounter(corpus, plan, specials, *scanner, directory, empty, of_parts, run.share(),
                                  pool.jobs)
                         .run(worker);
                   }));

  if (plan.empty()) {
    CountTableWriter(count_path(directory, 0)).commit(empty, {{"ranges", json::array()}, {"spills", 0}});
  }
  std::vector<std::string> paths;
  for (const Part& part : find_parts(directory)) {
    paths.insert(paths.end(), part.paths.begin(), part.paths.end());
  }
  merge_parts(paths, run, directory, table, wanted, report);
  for (const std::string& path : paths) remove_file(path);
}

void merge_tables(const std::vector<std::string>& tables, const RunOptions& run,
                  const RunDirectory& directory, const std::string& table, TableStorage wanted,
                  RunReport& report) {
  for (const std::string& path : tables) CountTableReader(path).verify();
  merge_parts(tables, run, directory, table, wanted, report);
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
  count_corpus(corpus, options, run, directory, table, TableStorage::kCompressed, report);
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
  merge_tables(tables, run, directory, table, TableStorage::kCompressed, report);
  report.output_bytes = File(table).size();
  directory.finish();
  return report;
}

}  // namespace tokmill
