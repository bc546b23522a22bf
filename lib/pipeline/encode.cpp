// 1. cut the corpus into ranges at the ends of documents
// 2. encode the ranges to shards; a record beside it (in .run) says what it holds, and that it is done
// 3. copy the tokenizer, write the manifest from the records, remove .run
//
// A small corpus has so few shards that many workers would have nothing to do. There each shard has parts. A
// worker encodes one part of its shard after the other; one that finds no shard left helps, and encodes parts
// of others' shards to files of their own, from the last one on. The shard's worker copies these when it
// comes to them. Whether a shard has parts depends on the corpus alone, as all of the plan does; who encodes
// them makes no difference to the shard.
#include "pipeline/encode.h"

#include <algorithm>
#include <boost/json/value_from.hpp>
#include <boost/json/value_to.hpp>
#include <chrono>
#include <filesystem>
#include <memory>
#include <thread>

#include "bpe/encoder.h"
#include "format/hf_json.h"
#include "format/json_text.h"
#include "format/manifest.h"
#include "io/error.h"
#include "pipeline/plan.h"
#include "pipeline/range_reader.h"
#include "pipeline/run_directory.h"
#include "pipeline/sample.h"
#include "pipeline/shard_tasks.h"
#include "pipeline/train.h"
#include "text/pretokenizer.h"

namespace tokmill {

namespace fs = std::filesystem;
namespace json = boost::json;

namespace {

constexpr char kUsualSeparator[] = "<|endoftext|>";
// Bytes of text; less is encoded before it pays. While a sample is looked at, the workers wait.
constexpr std::uint64_t kWorthReading = 1 << 20;
constexpr std::uint64_t kWorthSampling = 1 << 30;  // for each worker
constexpr std::uint64_t kFewShards = 64;           // of fewer, each has parts
constexpr std::uint64_t kPart = 8 << 20;           // bytes of text
// Bytes of text. The parts of a larger shard are encoded first, so that less is lost if the run is stopped.
constexpr std::uint64_t kMostAtOnce = 256 << 20;
constexpr auto kPoll = std::chrono::milliseconds(1);
constexpr std::size_t kMostKnown = 100'000;  // pretokens known before the workers begin

// What all workers need, made before they are forked.
struct Job {
  const Corpus& corpus;
  const TokenizerModel& model;
  const EncodeOptions& options;
  ShardFormat format;
  const TokenizerModel::Special* separator = nullptr;  // nullptr: none
  SpecialTokens specials;
  std::unique_ptr<const Scanner> scanner;
  std::vector<Range> plan;
  std::string output;
  std::string records;    // directory
  ShardTasks tasks = {};  // those of a dry run, which makes no shards, are the ranges

  // The text of a task: what was cut between its ranges is whole again.
  Range text_of(const ShardTask& task) const {
    Range text;
    for (std::size_t range = task.first; range < task.end; ++range) {
      for (const Segment& segment : plan[range].segments) {
        if (!text.segments.empty() && text.segments.back().input == segment.input) {
          text.segments.back().end = segment.end;
          text.segments.back().ends_file = segment.ends_file;
        } else {
          text.segments.push_back(segment);
        }
      }
    }
    return text;
  }

  std::string stem(const ShardTask& task) const {
    return (task.is_whole ? output : records) + "/" + name(task);
  }
  std::string record(const ShardTask& task) const { return records + "/" + name(task) + ".json"; }

 private:
  std::string name(const ShardTask& task) const {
    if (task.is_whole) return shard_name(task.shard);
    return shard_name(task.shard) + ".part-" + std::to_string(task.first - tasks.shard(task.shard).first);
  }
};

// How the corpus is cut: ranges of about equal length. Returns how many of them make a shard.
std::size_t choose_ranges(std::uint64_t bytes, std::uint64_t shard_size, PlanOptions& plan) {
  const std::uint64_t shards = std::max<std::uint64_t>((bytes + shard_size - 1) / shard_size, 1);
  plan.range_size = shard_size;
  if (shards >= kFewShards || bytes / shards < 2 * kPart) return 1;
  const std::uint64_t parts = bytes / shards / kPart;
  plan.range_size = (bytes + shards * parts - 1) / (shards * parts);
  return parts;
}

const TokenizerModel::Special* find_separator(const TokenizerModel& model, const EncodeOptions& options) {
  if (options.separator) {
    const auto* special = model.find_special(*options.separator);
    if (special == nullptr) {
      throw UsageError("--eot-token '" + *options.separator +
                       "' is not a special token of the tokenizer; add --special");
    }
    return special;
  }
  if (const auto* usual = model.find_special(kUsualSeparator)) return usual;
  if (model.specials.size() == 1) return &model.specials.front();
  if (options.rule == SeparatorRule::kNone) return nullptr;
  throw UsageError(
      model.specials.empty()
          ? "the tokenizer has no special token to separate documents; give --eot none, or --special"
          : "the tokenizer has several special tokens; name the separator with --eot-token, or give --eot "
            "none");
}

std::uint32_t choose_id_bytes(const TokenizerModel& model, const EncodeOptions& options) {
  const bool narrow = model.tokens.size() <= 65536;
  if (!options.dtype) return narrow ? 2 : 4;
  const std::uint32_t id_bytes = ShardFormat::id_bytes_of(*options.dtype);
  if (id_bytes == 2 && !narrow) {
    throw UsageError("--dtype uint16: the tokenizer has ids up to " +
                     std::to_string(model.tokens.size() - 1) + ", which do not fit; use uint32");
  }
  return id_bytes;
}

ShardRecord read_record(const std::string& path) {
  return ShardRecord::from_json(open_sealed(read_file(path), path));
}

// Encodes the tasks that one worker takes.
template <class Id>
class TaskEncoder {
 public:
  TaskEncoder(const Job& job, Encoder<Id>& encoder, Worker& worker)
      : job_(job),
        worker_(worker),
        pretokenizer_(*job.scanner, job.specials),
        encoder_(encoder),
        ids_([this](std::string_view ids) { take(ids); }),
        documents_(job.options.rule) {
    for (const auto& special : job.model.specials) special_ids_.push_back(static_cast<Id>(special.id));
  }

  void encode(std::size_t number) {
    const ShardTask task = job_.tasks[number];
    record_ = {};
    taken_ = {number};
    if (!job_.options.dry_run) shard_ = std::make_unique<ShardWriter>(job_.stem(task), job_.format);
    const bool has_parts = task.is_whole && job_.tasks.has_parts();
    for (std::size_t range = task.first; range < task.end; ++range) {
      if (!has_parts || !append_part(range)) encode_range(range);
    }
    worker_.add(Worker::kDocuments, record_.documents);
    worker_.add(Worker::kPretokens, record_.pretokens);
    if (shard_) {
      const std::uint64_t pretokens = record_.pretokens;
      record_ = shard_->commit();
      record_.pretokens += pretokens;
      write_file(job_.record(task), to_sealed_text(record_.to_json()));
    }
    worker_.done(taken_);
  }

 private:
  // Copies a part of the shard that another worker has encoded, or waits for it; false if nobody has. It is
  // removed as soon as it is copied: its memory in the page cache, and its room on the disk, serve the next
  // one. If this worker, or the run, is stopped meanwhile, what is removed is encoded again.
  bool append_part(std::size_t range) {
    const ShardTask part = job_.tasks.part(range);
    const std::size_t number = job_.tasks.number_of_part(range);
    while (!worker_.is_done(number)) {
      if (worker_.take(number)) {
        taken_.push_back(number);
        return false;
      }
      std::this_thread::sleep_for(kPoll);
    }
    const std::string path = job_.record(part);
    if (!fs::exists(path)) return false;
    shard_->append_shard(job_.stem(part), read_record(path));
    remove_file(path);
    remove_shard_files(job_.stem(part), job_.format);
    return true;
  }

  void encode_range(std::size_t range) {
    tokens_before_ = shard_ ? shard_->tokens() : 0;
    total_before_ = ids_.total();
    for_each_segment(job_.corpus, job_.plan[range],
                     [&](std::string_view text, const Segment& segment) { encode(text, segment); });
    ids_.flush();
    if (shard_) shard_->end_part();
    worker_.add(Worker::kTokens, ids_.total() - total_before_);
  }

  void encode(std::string_view text, const Segment& segment) {
    documents_.start(segment.within_document, text.data());
    pretokenizer_.start(text);
    try {
      for (const PretokenBlock* block = &pretokenizer_.next(); block->size > 0;
           block = &pretokenizer_.next()) {
        encode(*block);
      }
    } catch (const UnspellableByte& error) {
      throw Error::at(job_.corpus.inputs[segment.input].path,
                      segment.begin + static_cast<std::uint64_t>(error.place - text.data()),
                      "the byte " + std::to_string(static_cast<unsigned char>(*error.place)) +
                          " is not in the tokenizer's vocabulary; use a tokenizer that has all 256 bytes");
    }
    write(documents_.end_of_text(text.data() + text.size()), [] {});
    if (segment.ends_file) write(documents_.end_of_file(), [] {});
    worker_.add(Worker::kBytes, text.size());
  }

  void encode(const PretokenBlock& block) {
    encoder_.prepare(block);
    std::size_t at = 0;
    const auto text_up_to = [&](std::size_t end) {
      if (at < end) write(documents_.text(), [&] { encoder_.encode(block, at, end, ids_); });
    };
    for (std::size_t i = 0; i < block.special_count; ++i) {
      const auto [entry, index] = block.specials[i];
      text_up_to(entry);
      const auto& special = job_.model.specials[index];
      const bool separates = &special == job_.separator;
      write(separates ? documents_.separator(block.base + block.end[entry]) : documents_.text(),
            [&] { ids_.append(special_ids_[index]); });
      at = entry + 1;
    }
    text_up_to(block.size);
    record_.pretokens += block.size - block.special_count;
  }

  template <class WriteItself>
  void write(const DocumentTracker::Step& step, WriteItself write_itself) {
    if (step.separator_before) ids_.append(static_cast<Id>(job_.separator->id));
    if (step.itself) write_itself();
    if (step.separator_after) ids_.append(static_cast<Id>(job_.separator->id));
    if (!step.ends_document) return;
    ++record_.documents;
    if (shard_) shard_->end_document(tokens_before_ + ids_.total() - total_before_);
  }

  void take(std::string_view ids) {
    if (shard_) shard_->append(ids);
  }

  const Job& job_;
  Worker& worker_;
  Pretokenizer pretokenizer_;
  Encoder<Id>& encoder_;
  IdBuffer<Id> ids_;
  DocumentTracker documents_;
  std::vector<Id> special_ids_;
  std::unique_ptr<ShardWriter> shard_;
  ShardRecord record_;
  std::vector<std::size_t> taken_;   // tasks
  std::uint64_t tokens_before_ = 0;  // the range's: ids of the shard
  std::uint64_t total_before_ = 0;   // the same: ids in all
};

// The encoder is made here, once, so that the workers share what it knows.
template <class Id>
PoolResult encode_tasks(const Job& job, const PoolOptions& pool, std::uint64_t share) {
  Encoder<Id> encoder(job.model, share / 2);
  if (job.corpus.bytes() >= kWorthReading && !job.options.tokenizer_path.empty()) {
    encoder.learn(read_known_pretokens(job.options.tokenizer_path, job.model), job.model);
  }
  const std::uint64_t for_each_worker = job.corpus.bytes() / pool.jobs;
  if (for_each_worker >= kWorthSampling) {
    encoder.learn(frequent_pretokens(job.corpus, *job.scanner, job.specials, kMostKnown));
  }
  return run_pool(pool, [&](Worker& worker) {
    encoder.expect(for_each_worker);
    TaskEncoder<Id> task_encoder(job, encoder, worker);
    while (const auto task = worker.next()) task_encoder.encode(*task);
  });
}

// Whether there is a record, and it and the files that it tells of are what they should be.
bool is_done(const Job& job, const ShardTask& task) {
  const std::string record = job.record(task);
  try {
    if (!fs::exists(record)) return false;
    check_shard_files(job.stem(task), job.format, read_record(record));
    return true;
  } catch (const std::exception&) {
    return false;  // encoded again
  }
}

PoolResult encode_all(const Job& job, const RunOptions& run) {
  PoolOptions pool = run.pool("encode", job.tasks.size(), job.corpus.bytes());
  pool.describe = [&](std::size_t task) { return job.text_of(job.tasks[task]).describe(job.corpus); };
  if (!job.options.dry_run) {
    pool.find_done = [&] {
      std::vector<bool> shard_done(job.tasks.shards());
      for (std::size_t i = 0; i < shard_done.size(); ++i) shard_done[i] = is_done(job, job.tasks.shard(i));
      std::vector<bool> done;
      for (std::size_t i = 0; i < job.tasks.size(); ++i) {
        const ShardTask task = job.tasks[i];
        done.push_back(shard_done[task.shard] || (!task.is_whole && is_done(job, task)));
      }
      return done;
    };
  }
  return job.format.id_bytes == 2 ? encode_tasks<std::uint16_t>(job, pool, run.share())
                                  : encode_tasks<std::uint32_t>(job, pool, run.share());
}

Manifest collect(const Job& job, const std::string& tokenizer, const json::object& self) {
  Manifest manifest;
  manifest.format = job.format;
  manifest.vocabulary = job.model.tokens.size();
  manifest.tokenizer_checksum = spell_checksum(Checksum::of(tokenizer));
  manifest.rule = job.options.rule;
  if (job.separator != nullptr) {
    manifest.separator = job.separator->text;
    manifest.separator_id = job.separator->id;
  }
  manifest.run = self;
  for (std::size_t i = 0; i < job.tasks.shards(); ++i) {
    const ShardTask shard = job.tasks.shard(i);
    Manifest::Shard& made = manifest.shards.emplace_back();
    made.name = shard_name(i);
    for (const Segment& segment : job.text_of(shard).segments) {
      made.sources.push_back({segment.input, segment.begin, segment.end, segment.within_document});
    }
    made.record = read_record(job.record(shard));
  }
  return manifest;
}

void fill(RunReport& report, const Manifest& manifest) {
  report.bytes = manifest.text_bytes();
  report.documents = manifest.documents();
  report.tokens = manifest.tokens();
  report.shards = manifest.shards.size();
  for (const Manifest::Shard& shard : manifest.shards) {
    report.pretokens += shard.record.pretokens;
    report.output_bytes += shard.record.bytes;
  }
}

}  // namespace

RunReport run_encode(const Corpus& corpus, const TokenizerModel& model, const EncodeOptions& options,
                     const RunOptions& run, const std::string& output) {
  const InterruptGuard guard;
  Job job{corpus,
          model,
          options,
          {},
          find_separator(model, options),
          SpecialTokens(model.special_texts()),
          make_scanner(model.pattern),
          {},
          output,
          output + "/.run"};
  job.format = {options.compressed, choose_id_bytes(model, options), options.level, options.frame_size};
  RunReport report;
  report.verb = "encode";
  report.output = options.dry_run ? "" : output;
  PlanOptions plan;
  const std::size_t parts =
      choose_ranges(corpus.bytes(), std::max<std::uint64_t>(options.shard_size, 1), plan);
  // Without a separator no special token ends a document: a file is one.
  if (job.separator != nullptr) plan.separator = job.separator->text;
  job.plan = make_plan(corpus, job.specials, *job.scanner, plan);
  job.tasks = ShardTasks(job.plan.size(), options.dry_run ? 1 : parts, parts * kPart > kMostAtOnce);
  if (job.separator == nullptr) {
    for (Range& range : job.plan) {
      for (Segment& segment : range.segments) segment.within_document = segment.begin > 0;
    }
  }

  if (options.dry_run) {
    const PoolResult result = encode_all(job, run);
    report.add_stage("encode", result);
    report.bytes = result.counters[Worker::kBytes];
    report.documents = result.counters[Worker::kDocuments];
    report.pretokens = result.counters[Worker::kPretokens];
    report.tokens = result.counters[Worker::kTokens];
    report.shards = ShardTasks(job.plan.size(), parts).shards();
    report.extra["dry_run"] = true;
    return report;
  }

  const std::string tokenizer = hf_json(model);
  const json::object self = describe_run("encode", corpus.to_json(),
                                         {{"tokenizer", spell_checksum(Checksum::of(tokenizer))},
                                          {"eot", separator_rule_name(options.rule)},
                                          {"eot_token", job.separator != nullptr ? job.separator->text : ""},
                                          {"shard_size", options.shard_size},
                                          {"dtype", job.format.dtype()},
                                          {"compressed", options.compressed},
                                          {"level", options.level},
                                          {"frame_size", options.frame_size}});
  if (fs::exists(output + "/" + Manifest::kFileName)) {
    const Manifest manifest = Manifest::read(output);
    if (manifest.run != self) {
      throw Error::at(output, "holds shards from another run; remove it, or give another output");
    }
    remove_finished_run(job.records);
    report.already_done = true;
    fill(report, manifest);
    return report;
  }
  if (fs::exists(output + "/" + kTrainingReport)) {
    throw Error::at(output, "holds a tokenizer, which this would replace; give another output");
  }
  RunDirectory directory(job.records, self);
  try {
    report.add_stage("encode", encode_all(job, run));
    write_file(output + "/" + Manifest::kTokenizerName, tokenizer);
    const Manifest manifest = collect(job, tokenizer, self);
    fill(report, manifest);
    write_file(output + "/" + Manifest::kFileName, manifest.to_text());
  } catch (...) {
    remove_partial_files(output);
    throw;
  }
  directory.finish();
  return report;
}

}  // namespace tokmill
