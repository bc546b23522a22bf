// 1. cut the corpus into ranges at the ends of documents
// 2. encode the ranges to shards; a record beside it (in .run) says what it holds, and that it is done
// 3. copy the tokenizer, write the manifest from the records, remove .run
//
// A small corpus has so few shards that most workers would have nothing to do. There each shard has parts,
// which may be encoded apart, and are then joined. Whether a shard has parts depends on the corpus alone, as
// all of the plan does. Who encodes them does not: the same shard comes of it.
#include "pipeline/encode.h"

#include <algorithm>
#include <boost/json/value_from.hpp>
#include <boost/json/value_to.hpp>
#include <filesystem>
#include <memory>

#include "bpe/encoder.h"
#include "format/hf_json.h"
#include "format/json_text.h"
#include "format/manifest.h"
#include "io/error.h"
#include "pipeline/plan.h"
#include "pipeline/range_reader.h"
#include "pipeline/run_directory.h"
#include "pipeline/sample.h"
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
// Bytes of text that one worker encodes to one file, where there are parts: so much is lost if it is stopped.
constexpr std::uint64_t kMostAtOnce = 256 << 20;
constexpr std::size_t kMostKnown = 100'000;  // pretokens known before the workers begin

// What a worker encodes to one file: ranges [first, end), which are a whole shard, or a part of one.
struct Task {
  std::size_t shard, first, end;
  bool is_whole;
};

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
  std::size_t parts = 1;  // ranges that make a shard

  // Ranges [first, end), as one: what was cut between them is whole again.
  Range text_of(std::size_t first, std::size_t end) const {
    Range text;
    for (std::size_t range = first; range < end; ++range) {
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
  Range text_of(const Task& task) const { return text_of(task.first, task.end); }
  Range text_of_shard(std::size_t shard) const { return text_of(first_part(shard), end_of_parts(shard)); }

  std::size_t shards() const { return (plan.size() + parts - 1) / parts; }
  std::size_t first_part(std::size_t shard) const { return shard * parts; }
  std::size_t end_of_parts(std::size_t shard) const { return std::min((shard + 1) * parts, plan.size()); }

  std::string shard_stem(std::size_t shard) const { return output + "/" + shard_name(shard); }
  std::string shard_record(std::size_t shard) const { return records + "/" + shard_name(shard) + ".json"; }
  std::string part_stem(std::size_t range) const {
    return records + "/" + shard_name(range / parts) + ".part-" + std::to_string(range % parts);
  }
  std::string part_record(std::size_t range) const { return part_stem(range) + ".json"; }
  std::string stem(const Task& task) const {
    return task.is_whole ? shard_stem(task.shard) : part_stem(task.first);
  }
  std::string record(const Task& task) const {
    return task.is_whole ? shard_record(task.shard) : part_record(task.first);
  }
};

// How the corpus is cut: ranges of about equal length, a shard being some of them.
void choose_ranges(Job& job, std::uint64_t shard_size, PlanOptions& plan) {
  const std::uint64_t bytes = job.corpus.bytes();
  const std::uint64_t shards = std::max<std::uint64_t>((bytes + shard_size - 1) / shard_size, 1);
  plan.range_size = shard_size;
  if (shards >= kFewShards || bytes / shards < 2 * kPart) return;
  job.parts = bytes / shards / kPart;
  plan.range_size = (bytes + shards * job.parts - 1) / (shards * job.parts);
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

// Whole shards need not be joined, which takes 5 to 10% of a run; parts keep all workers busy to the
// end. So every worker gets as many whole shards as the others, and the rest, at least one where there is
// more than one worker, is encoded in parts. A shard of which there are parts already gets the others.
std::vector<Task> choose_tasks(const Job& job, unsigned workers) {
  std::size_t whole = job.shards();
  if (job.parts > 1) {
    if (workers > 1) whole = (whole - 1) / workers * workers;
    if (job.options.dry_run || job.parts * kPart > kMostAtOnce) whole = 0;
  }
  std::vector<Task> tasks;
  for (std::size_t shard = 0; shard < job.shards(); ++shard) {
    const std::size_t first = job.first_part(shard), end = job.end_of_parts(shard);
    bool at_once = shard < whole;
    for (std::size_t range = first; at_once && job.parts > 1 && range < end; ++range) {
      at_once = !fs::exists(job.part_record(range));
    }
    if (at_once) {
      tasks.push_back({shard, first, end, true});
    } else {
      for (std::size_t range = first; range < end; ++range) tasks.push_back({shard, range, range + 1, false});
    }
  }
  return tasks;
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

  void encode(const Task& task) {
    record_ = {};
    before_shard_ = ids_.total();
    if (!job_.options.dry_run) shard_ = std::make_unique<ShardWriter>(job_.stem(task), job_.format);
    for (std::size_t range = task.first; range < task.end; ++range) {
      for_each_segment(job_.corpus, job_.plan[range],
                       [&](std::string_view text, const Segment& segment) { encode(text, segment); });
      ids_.flush();
      if (shard_) shard_->end_part();
    }
    worker_.add(Worker::kDocuments, record_.documents);
    worker_.add(Worker::kPretokens, record_.pretokens);
    worker_.add(Worker::kTokens, ids_.total() - before_shard_);
    if (!job_.options.dry_run) {
      const std::uint64_t pretokens = record_.pretokens;
      record_ = shard_->commit();
      record_.pretokens = pretokens;
      write_file(job_.record(task), to_sealed_text(record_.to_json()));
    }
  }

 private:
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
    if (shard_) shard_->end_document(ids_.total() - before_shard_);
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
  std::uint64_t before_shard_ = 0;  // ids of the shards before
};

// The encoder is made here, once, so that the workers share what it knows.
template <class Id>
PoolResult encode_tasks(const Job& job, const std::vector<Task>& tasks, const PoolOptions& pool,
                        std::uint64_t share) {
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
    while (const auto task = worker.next()) {
      task_encoder.encode(tasks[*task]);
      worker.done(*task);
    }
  });
}

ShardRecord read_record(const std::string& path) {
  return ShardRecord::from_json(open_sealed(read_file(path), path));
}

// Whether there is a record, and it and the files that it tells of are what they should be.
bool is_done(const std::string& record, const std::string& stem, const Job& job) {
  try {
    if (!fs::exists(record)) return false;
    check_shard_files(stem, job.format, read_record(record));
    return true;
  } catch (const std::exception&) {
    return false;  // encoded again
  }
}

bool is_shard_done(const Job& job, std::size_t shard) {
  return is_done(job.shard_record(shard), job.shard_stem(shard), job);
}

PoolResult encode_all(const Job& job, const std::vector<Task>& tasks, const RunOptions& run) {
  PoolOptions pool = run.pool("encode", tasks.size(), job.corpus.bytes());
  pool.describe = [&](std::size_t task) { return job.text_of(tasks[task]).describe(job.corpus); };
  if (!job.options.dry_run) {
    pool.find_done = [&] {
      std::vector<bool> shard_done(job.shards());
      for (std::size_t shard = 0; shard < job.shards(); ++shard)
        shard_done[shard] = is_shard_done(job, shard);
      std::vector<bool> done;
      for (const Task& task : tasks) {
        done.push_back(shard_done[task.shard] || (!task.is_whole && is_done(job.part_record(task.first),
                                                                            job.part_stem(task.first), job)));
      }
      return done;
    };
  }
  return job.format.id_bytes == 2 ? encode_tasks<std::uint16_t>(job, tasks, pool, run.share())
                                  : encode_tasks<std::uint32_t>(job, tasks, pool, run.share());
}

// Each part is removed as soon as it is copied: its memory in the page cache, and its room on the disk, serve
// the next one. If the run is stopped meanwhile, what is removed is encoded again.
void join_parts(const Job& job, std::size_t shard) {
  ShardWriter writer(job.shard_stem(shard), job.format);
  for (std::size_t range = job.first_part(shard); range < job.end_of_parts(shard); ++range) {
    writer.append_shard(job.part_stem(range), read_record(job.part_record(range)));
    remove_file(job.part_record(range));
    remove_shard_files(job.part_stem(range), job.format);
  }
  write_file(job.shard_record(shard), to_sealed_text(writer.commit().to_json()));
}

// Joins the shards whose parts were tasks of their own.
PoolResult join_all(const Job& job, const std::vector<std::size_t>& shards, const RunOptions& run) {
  const auto text_of = [&](std::size_t i) { return job.text_of_shard(shards[i]); };
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < shards.size(); ++i) bytes += text_of(i).bytes();
  PoolOptions pool = run.pool("join", shards.size(), bytes);
  pool.find_done = [&] {
    std::vector<bool> done;
    for (const std::size_t shard : shards) done.push_back(is_shard_done(job, shard));
    return done;
  };
  pool.describe = [&](std::size_t i) { return shard_name(shards[i]); };
  return run_pool(pool, [&](Worker& worker) {
    while (const auto i = worker.next()) {
      join_parts(job, shards[*i]);
      worker.add(Worker::kBytes, text_of(*i).bytes());
      worker.done(*i);
    }
  });
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
  for (std::size_t shard = 0; shard < job.shards(); ++shard) {
    Manifest::Shard& made = manifest.shards.emplace_back();
    made.name = shard_name(shard);
    for (const Segment& segment : job.text_of_shard(shard).segments) {
      made.sources.push_back({segment.input, segment.begin, segment.end, segment.within_document});
    }
    made.record = read_record(job.shard_record(shard));
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
  choose_ranges(job, std::max<std::uint64_t>(options.shard_size, 1), plan);
  // Without a separator no special token ends a document: a file is one.
  if (job.separator != nullptr) plan.separator = job.separator->text;
  job.plan = make_plan(corpus, job.specials, *job.scanner, plan);
  if (job.separator == nullptr) {
    for (Range& range : job.plan) {
      for (Segment& segment : range.segments) segment.within_document = segment.begin > 0;
    }
  }

  if (options.dry_run) {
    const PoolResult result = encode_all(job, choose_tasks(job, run.workers()), run);
    report.add_stage("encode", result);
    report.bytes = result.counters[Worker::kBytes];
    report.documents = result.counters[Worker::kDocuments];
    report.pretokens = result.counters[Worker::kPretokens];
    report.tokens = result.counters[Worker::kTokens];
    report.shards = job.shards();
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
    const std::vector<Task> tasks = choose_tasks(job, run.workers());
    report.add_stage("encode", encode_all(job, tasks, run));
    std::vector<std::size_t> in_parts;  // shards
    for (const Task& task : tasks) {
      if (!task.is_whole && (in_parts.empty() || in_parts.back() != task.shard))
        in_parts.push_back(task.shard);
    }
    if (!in_parts.empty()) report.add_stage("join", join_all(job, in_parts, run));
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
