// 1. count the corpus, or merge the tables given, into one table in the run directory
// 2. train on that table, in a process of its own, which writes the tokenizer's files; now and then it leaves
//    a checkpoint, from which it goes on if it was stopped
// 3. write training.json, which says that all is there, and remove the run directory
#include "pipeline/train.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/json/value_from.hpp>
#include <chrono>
#include <filesystem>
#include <numeric>

#include "bpe/parallel.h"
#include "format/byte_spelling.h"
#include "format/count_table_format.h"
#include "format/count_table_reader.h"
#include "format/gpt2_files.h"
#include "format/hf_json.h"
#include "format/json_text.h"
#include "format/known_pretokens.h"
#include "format/manifest.h"
#include "format/merge_checkpoint.h"
#include "format/tiktoken_file.h"
#include "io/atomic_file.h"
#include "io/error.h"
#include "pipeline/part_clock.h"
#include "text/special_tokens.h"

namespace tokmill {

namespace fs = std::filesystem;
namespace json = boost::json;

namespace {

using Clock = std::chrono::steady_clock;

// In the run directory.
constexpr char kResult[] = "trained.json";
constexpr char kCheckpoint[] = "trained.checkpoint";
constexpr char kParts[] = "parts";  // in kResult
constexpr std::size_t kLongestTokens = 20;
constexpr std::uint64_t kWorthThreads = 50'000;   // different pretokens
constexpr std::size_t kKnownPretokens = 100'000;  // more make encoding no faster

struct PlaceName {
  SpecialPlace place;
  std::string_view name;
};
constexpr std::array<PlaceName, 3> kPlaces{{{SpecialPlace::kFirst, "first"},
                                            {SpecialPlace::kAfterBytes, "after-bytes"},
                                            {SpecialPlace::kLast, "last"}}};

struct TieBreakName {
  TieBreak tie_break;
  std::string_view name;
};
constexpr std::array<TieBreakName, 2> kTieBreaks{{{TieBreak::kBytes, "bytes"}, {TieBreak::kHf, "hf"}}};

void check(const TrainOptions& options) {
  const std::uint64_t least = 256 + options.count.specials.size();
  if (options.vocabulary_size < least) {
    throw UsageError("--vocab-size " + std::to_string(options.vocabulary_size) +
                     " is too small: 256 bytes and " + std::to_string(options.count.specials.size()) +
                     " special tokens need " + std::to_string(least));
  }
  if (options.vocabulary_size > UINT32_MAX / 2) throw UsageError("--vocab-size is too large");
  const SpecialTokens specials(options.count.specials);  // none is empty or given twice
  for (const std::string& special : specials.tokens()) {
    if (unspell_bytes(special).value_or("xx").size() == 1) {
      throw UsageError("--special '" + special + "': a single byte is a token already");
    }
  }
}

// Puts bytes, special tokens and merges in the order of their ids.
TokenizerModel build_model(const TrainerResult& trained, const TrainOptions& options) {
  TokenizerModel model;
  model.pattern = options.count.pattern;
  model.tokens = trained.symbols();
  const std::size_t symbols = model.tokens.size();
  const auto& specials = options.count.specials;
  for (const std::string& special : specials) {
    const auto spelled = unspell_bytes(special);
    if (spelled && *spelled != special && std::ranges::find(model.tokens, *spelled) != model.tokens.end()) {
      throw Error("the special token '" + special +
                  "' is spelled like a token that was learnt; choose another");
    }
  }
  std::vector<std::size_t> places(symbols);  // of the symbols, if there were no special tokens
  std::iota(places.begin(), places.end(), 0);
  if (options.tie_break == TieBreak::kHf) {
    std::size_t place = 0;
    for (const std::uint8_t byte : bytes_by_spelling()) {
      model.tokens[place].assign(1, static_cast<char>(byte));
      places[byte] = place++;
    }
  }
  const std::size_t specials_at = options.special_place == SpecialPlace::kFirst        ? 0
                                  : options.special_place == SpecialPlace::kAfterBytes ? 256
                                                                                       : symbols;
  model.tokens.insert(model.tokens.begin() + static_cast<std::ptrdiff_t>(specials_at), specials.begin(),
                      specials.end());
  const auto id_of = [&](std::size_t symbol) {
    const std::size_t place = places[symbol];
    return static_cast<std::uint32_t>(place < specials_at ? place : place + specials.size());
  };
  for (std::size_t i = 0; i < specials.size(); ++i) {
    model.specials.push_back({specials[i], static_cast<std::uint32_t>(specials_at + i)});
  }
  model.merges.reserve(trained.merges.size());
  for (std::size_t i = 0; i < trained.merges.size(); ++i) {
    model.merges.push_back({id_of(trained.merges[i].left), id_of(trained.merges[i].right), id_of(256 + i)});
  }
  return model;
}

// The frequent words with the model's ids.
KnownPretokens in_ids(const TrainerResult& trained, const TokenizerModel& model) {
  std::vector<std::uint32_t> ids(256);
  for (std::uint32_t id = 0; id < model.tokens.size(); ++id) {
    const std::string& token = model.tokens[id];
    if (token.size() == 1) ids[static_cast<unsigned char>(token[0])] = id;
  }
  for (const auto& merge : model.merges) ids.push_back(merge.result);
  KnownPretokens known = trained.frequent;
  for (std::uint32_t& symbol : known.ids) symbol = ids[symbol];
  return known;
}

// Writes the tokenizer's files side by side; gives their names and checksums.
std::vector<std::pair<std::string, std::string>> write_tokenizer(const TokenizerModel& model,
                                                                 const KnownPretokens& known,
                                                                 const std::string& output,
                                                                 std::size_t threads) {
  struct Content {
    std::string name;
    std::function<std::string()> text;
  };
  const std::vector<Content> contents{
      {"tokenizer.json", [&] { return hf_json(model); }},  // takes longest
      {kKnownPretokensName, [&] { return known_pretokens_text(model, known); }},
      {"vocab.json", [&] { return vocab_json(model); }},
      {"merges.txt", [&] { return merges_txt(model); }},
      {"tokenizer.tiktoken", [&] { return tiktoken_text(model); }}};
  std::vector<std::pair<std::string, std::string>> files(contents.size());
  std::atomic<std::size_t> next = 0;
  in_parallel(std::min(threads, contents.size()), [&](std::size_t) {
    for (std::size_t i = next++; i < contents.size(); i = next++) {
      const std::string text = contents[i].text();
      write_file(output + "/" + contents[i].name, text);
      files[i] = {contents[i].name, spell_checksum(Checksum::of(text))};
    }
  });
  return files;
}

json::array longest_tokens(const TokenizerModel& model) {
  std::vector<std::uint32_t> ids;
  for (const auto& merge : model.merges) ids.push_back(merge.result);
  const auto size = [&](std::uint32_t id) { return model.tokens[id].size(); };
  const auto end = ids.begin() + static_cast<std::ptrdiff_t>(std::min(kLongestTokens, ids.size()));
  std::ranges::partial_sort(ids, end, [&](std::uint32_t a, std::uint32_t b) {
    return size(a) != size(b) ? size(a) > size(b) : a < b;
  });
  json::array list;
  for (auto id = ids.begin(); id != end; ++id) list.push_back(json::string(spell_bytes(model.tokens[*id])));
  return list;
}

// The checkpoints of a training.
class Checkpoints {
 public:
  // `origin` as in MergeCheckpoint; `every` in seconds, 0: none are written.
  Checkpoints(std::string path, std::uint64_t origin, double every)
      : path_(std::move(path)), origin_(origin), every_(every) {}

  // What an earlier attempt has left; nothing, if that cannot be trusted.
  std::vector<TrainerResult::Merge> read() const {
    std::vector<TrainerResult::Merge> merges;
    try {
      const MergeCheckpoint checkpoint = MergeCheckpoint::parse(read_file(path_), path_);
      if (checkpoint.origin != origin_) return {};
      for (const auto& [left, right] : checkpoint.merges) merges.push_back({left, right});
    } catch (const Error&) {
      return {};
    }
    return merges;
  }

  // Writes one if it is time.
  void see(std::span<const TrainerResult::Merge> merges) {
    if (every_ == 0 || Clock::now() - written_ < std::chrono::duration<double>(every_)) return;
    MergeCheckpoint checkpoint{origin_, {}};
    for (const auto& merge : merges) checkpoint.merges.emplace_back(merge.left, merge.right);
    write_file(path_, checkpoint.to_bytes());
    written_ = Clock::now();
  }

 private:
  std::string path_;
  std::uint64_t origin_;
  double every_;
  Clock::time_point written_ = Clock::now();
};

const char* name_of(TrainerPhase phase) {
  switch (phase) {
    case TrainerPhase::kWords:
      return "words";
    case TrainerPhase::kIndex:
      return "index";
    case TrainerPhase::kMerges:
      return "merge_loop";
    case TrainerPhase::kEnd:
      return "write";
  }
  return "";
}

// Stage 2, in a process of its own. Leaves in `kResult` what training.json will say of it.
void train_and_write(const std::string& table, const TrainOptions& options, const RunDirectory& directory,
                     const json::object& self, const std::string& output, std::uint64_t memory, unsigned jobs,
                     Worker& worker) {
  const CountTableReader reader(table);
  const WordSource words{count_table_format::kPartitions,
                         [&](std::size_t partition, const WordSource::Take& take) {
                           CountTableReader::Entries entries(reader, partition);
                           while (entries.next()) take(entries.pretoken(), entries.count());
                         }};
  TrainerOptions trainer;
  trainer.merges = options.vocabulary_size - 256 - options.count.specials.size();
  trainer.min_frequency = options.min_frequency;
  trainer.frequent_words = kKnownPretokens;
  trainer.tie_break = options.tie_break;
  trainer.memory = memory;
  trainer.directory = directory.path();
  const unsigned threads = reader.info().distinct < kWorthThreads ? 1 : jobs;
  trainer.threads = threads;
  // The footer has the checksums of all the words.
  const std::uint64_t origin = Checksum::of(to_text(self) + to_text(reader.footer()));
  Checkpoints checkpoints(directory.file(kCheckpoint), origin, options.checkpoint_every);
  trainer.resume = checkpoints.read();
  worker.set(Worker::kMerges, trainer.resume.size());
  PartClock clock;
  TrainerEvents events;
  events.phase = [&](TrainerPhase phase) { clock.begin(name_of(phase)); };
  events.progress = [&](std::span<const TrainerResult::Merge> merges) {
    worker.set(Worker::kMerges, merges.size());
    checkpoints.see(merges);
  };
  const TrainerResult trained = train(words, trainer, events);
  worker.set(Worker::kMerges, trained.merges.size());
  clock.begin(name_of(TrainerPhase::kEnd));
  const TokenizerModel model = build_model(trained, options);

  json::object files;
  for (const auto& [name, checksum] : write_tokenizer(model, in_ids(trained, model), output, threads)) {
    files[name] = checksum;
  }
  json::object facts{{"vocabulary", model.tokens.size()},
                     {"merges", trained.merges.size()},
                     {"windows", trained.windows},
                     {"trainer_memory",
                      {{"words", trained.memory.words},
                       {"positions", trained.memory.positions},
                       {"pairs", trained.memory.pairs},
                       {"queue", trained.memory.queue}}},
                     {"longest_tokens", longest_tokens(model)},
                     {"files", files}};
  if (!trainer.resume.empty()) facts[kResumedFrom] = trainer.resume.size();
  clock.end();
  facts[kParts] = PartClock::to_json(clock.parts());
  write_file(directory.file(kResult), to_sealed_text(facts));
}

json::object describe(const Corpus& corpus, const std::vector<std::string>& tables,
                      const TrainOptions& options) {
  return describe_run("train", tables.empty() ? corpus.to_json() : find_corpus(tables).to_json(),
                      {{"vocab_size", options.vocabulary_size},
                       {"pattern", pattern_name(options.count.pattern)},
                       {"specials", json::value_from(options.count.specials)},
                       {"special_ids", special_place_name(options.special_place)},
                       {"min_frequency", options.min_frequency},
                       {"tie_break", tie_break_name(options.tie_break)},
                       {"shard_size", options.count.shard_size}});
}

bool is_sound_table(const std::string& path) {
  try {
    CountTableReader(path).verify();
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

std::string_view special_place_name(SpecialPlace place) {
  return std::ranges::find(kPlaces, place, &PlaceName::place)->name;
}

SpecialPlace special_place_from_name(std::string_view name) {
  const auto found = std::ranges::find(kPlaces, name, &PlaceName::name);
  if (found == kPlaces.end()) {
    throw UsageError("'" + std::string(name) +
                     "' is no place for special tokens; use first, after-bytes or last");
  }
  return found->place;
}

std::string_view tie_break_name(TieBreak tie_break) {
  return std::ranges::find(kTieBreaks, tie_break, &TieBreakName::tie_break)->name;
}

TieBreak tie_break_from_name(std::string_view name) {
  const auto found = std::ranges::find(kTieBreaks, name, &TieBreakName::name);
  if (found == kTieBreaks.end()) {
    throw UsageError("'" + std::string(name) + "' is no way to break ties; use bytes or hf");
  }
  return found->tie_break;
}

RunReport run_train(const Corpus& corpus, const std::vector<std::string>& tables, TrainOptions options,
                    const RunOptions& run, const std::string& output) {
  const InterruptGuard guard;
  if (!tables.empty()) {
    const CountTableInfo info = CountTableReader(tables.front()).info();
    options.count.pattern = pattern_from_name(info.pattern);
    if (options.count.specials.empty()) options.count.specials = info.specials;
    std::vector<std::string> sorted = options.count.specials;
    std::ranges::sort(sorted);
    if (sorted != info.specials) {
      throw Error::at(tables.front(), "was counted with other special tokens than --special gives");
    }
  }
  check(options);
  RunReport report;
  report.verb = "train";
  report.output = output;
  const json::object self = describe(corpus, tables, options);
  const std::string training = output + "/" + kTrainingReport;
  const std::string run_path = run_directory_path(run.tmp, output, output + "/.run");
  if (fs::exists(training)) {
    const json::object before = open_sealed(read_file(training), training);
    if (before.at("run") != self) {
      throw Error::at(output, "holds a tokenizer from another run; remove it, or give another output");
    }
    remove_finished_run(run_path);
    report.already_done = true;
    return report;
  }

  if (fs::exists(output + "/" + Manifest::kFileName)) {
    throw Error::at(output, "holds shards, whose tokenizer this would replace; give another output");
  }
  RunDirectory directory(run_path, self);
  make_directories(output);
  const std::string table = directory.file("merged.table");
  if (!is_sound_table(table)) {
    if (tables.empty()) {
      count_corpus(corpus, options.count, run, directory, table, TableStorage::kPlain, report);
    } else {
      merge_tables(tables, run, directory, table, TableStorage::kPlain, report);
    }
  }
  const CountTableInfo info = CountTableReader(table).info();
  report.bytes = info.bytes;
  report.documents = info.documents;
  report.pretokens = info.pretokens;
  report.distinct = info.distinct;

  PoolOptions pool = run.pool("train", 1, options.vocabulary_size - 256 - options.count.specials.size());
  pool.jobs = 1;
  pool.progress_counter = Worker::kMerges;
  pool.describe = [](std::size_t) { return std::string("training"); };
  report.add_stage("train", run_pool(pool, [&](Worker& worker) {
                     while (const auto task = worker.next()) {
                       train_and_write(table, options, directory, self, output, run.share_of(1),
                                       run.workers(), worker);
                       worker.done(*task);
                     }
                   }));

  json::object facts = open_sealed(read_file(directory.file(kResult)), directory.file(kResult));
  report.stages.back().set_parts(PartClock::from_json(facts.at(kParts).as_array()));
  facts.erase(kParts);
  for (const char* name : {"vocabulary", "merges", "windows", "trainer_memory", kResumedFrom}) {
    if (const json::value* value = facts.if_contains(name)) report.extra[name] = *value;
  }
  facts["unicode"] = info.unicode;
  facts["report"] = report.to_json();
  facts["run"] = self;
  write_file(training, to_sealed_text(facts));
  directory.finish();
  return report;
}

}  // namespace tokmill
