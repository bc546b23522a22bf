// The stages, each alone, on one core and in memory: scan, count, merge (tables), train (merges), encode,
// decode, compress. Each checks what it produced; a wrong result is an error, not a figure. bytes_per_second
// is bytes of text.
//
// The text is the first 64 MiB of $TOKMILL_BENCH_CORPUS, or, without it, made from a seed: words whose
// frequencies fall as 1/rank, as in natural language.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <string>

#include "bpe/decoder.h"
#include "bpe/encoder.h"
#include "bpe/pretoken_counter.h"
#include "bpe/table_merge.h"
#include "bpe/trainer.h"
#include "io/file.h"
#include "io/frame_reader.h"
#include "io/frame_writer.h"
#include "text/pretokenizer.h"
#include "text/regex_scanner.h"

namespace {

using namespace tokmill;

constexpr std::size_t kMostText = 64 << 20;
constexpr std::size_t kCheckedText = 1 << 20;  // compared with slow twins
constexpr std::uint64_t kMerges = 31743;
constexpr char kSeparator[] = "<|endoftext|>";

std::string made_text() {
  std::mt19937_64 random(1);
  std::vector<std::string> words;
  std::vector<double> weights;
  for (int rank = 1; rank <= 100'000; ++rank) {
    std::string word;
    for (std::uint64_t n = 1 + random() % 9; n > 0; --n)
      word.push_back(static_cast<char>('a' + random() % 26));
    words.push_back(word);
    weights.push_back(1.0 / rank);
  }
  std::discrete_distribution<std::size_t> choose(weights.begin(), weights.end());
  std::string text;
  while (text.size() < kMostText / 2) {
    text += words[choose(random)];
    const std::uint64_t what = random() % 1000;
    text += what == 0 ? kSeparator : what < 20 ? ".\n" : what < 60 ? ", " : " ";
  }
  return text;
}

// The text with the slack that scanners ask for, and what the benchmarks need of it.
struct Material {
  std::string padded;
  std::string_view text;
  SpecialTokens specials{{kSeparator}};
  std::unique_ptr<const Scanner> scanner = make_scanner(Pattern::kGpt2);
  std::string directory;

  Material() {
    if (const char* path = std::getenv("TOKMILL_BENCH_CORPUS")) {
      const File file(path);
      padded = file.read_at(0, std::min<std::uint64_t>(file.size(), kMostText));
    } else {
      padded = made_text();
    }
    const std::size_t size = padded.size();
    padded.resize(size + Scanner::kSlack);
    text = std::string_view(padded).substr(0, size);
    directory = (std::filesystem::temp_directory_path() / "tokmill-stages").string();
    std::filesystem::create_directories(directory);
  }
  ~Material() { std::filesystem::remove_all(directory); }

  std::string file(const char* name) const { return directory + "/" + name; }
};

const Material& material() {
  static const Material instance;
  return instance;
}

template <class Take>
void for_each_block(std::string_view text, const Scanner& scanner, Take take) {
  Pretokenizer pretokenizer(scanner, material().specials);
  pretokenizer.start(text);
  for (const PretokenBlock* block = &pretokenizer.next(); block->size > 0; block = &pretokenizer.next())
    take(*block);
}

void report(benchmark::State& state) {
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * material().text.size()));
}

void scan(benchmark::State& state) {
  const Material& m = material();
  const std::string_view checked = m.text.substr(0, kCheckedText);
  std::vector<std::string_view> fast, slow;
  const auto collect = [&](std::vector<std::string_view>& out, const Scanner& scanner) {
    for_each_block(checked, scanner, [&](const PretokenBlock& block) {
      for (std::size_t i = 0; i < block.size; ++i) out.push_back(block[i]);
    });
  };
  collect(fast, *m.scanner);
  collect(slow, RegexScanner(kGpt2Regex));
  if (fast != slow) return state.SkipWithError("the scanner does not agree with the regular expression");
  for (auto _ : state) {
    std::size_t pretokens = 0;
    for_each_block(m.text, *m.scanner, [&](const PretokenBlock& block) { pretokens += block.size; });
    benchmark::DoNotOptimize(pretokens);
  }
  report(state);
}
BENCHMARK(scan)->Unit(benchmark::kMillisecond);

// A table of the text's first part; also what the later stages start from.
void write_table(const std::string& path, std::string_view text) {
  PretokenCounter counter;
  for_each_block(text, *material().scanner, [&](const PretokenBlock& block) { counter.add(block); });
  CountTableWriter writer(path);
  counter.write(writer);
  writer.commit({});
}

std::map<std::string, std::uint64_t> read_table(const std::string& path) {
  std::map<std::string, std::uint64_t> counts;
  const CountTableReader reader(path);
  for (std::size_t partition = 0; partition < count_table_format::kPartitions; ++partition) {
    CountTableReader::Entries entries(reader, partition);
    while (entries.next()) counts.emplace(entries.pretoken(), entries.count());
  }
  return counts;
}

void count(benchmark::State& state) {
  const Material& m = material();
  const std::string_view checked = m.text.substr(0, kCheckedText);
  std::map<std::string, std::uint64_t> expected;
  for_each_block(checked, *m.scanner, [&](const PretokenBlock& block) {
    std::size_t special = 0;
    for (std::size_t i = 0; i < block.size; ++i) {
      const bool is_special = special < block.special_count && block.specials[special].entry == i;
      special += is_special;
      if (!is_special) ++expected[std::string(block[i])];
    }
  });
  write_table(m.file("checked.table"), checked);
  if (read_table(m.file("checked.table")) != expected) return state.SkipWithError("the counts are wrong");
  for (auto _ : state) {
    PretokenCounter counter;
    for_each_block(m.text, *m.scanner, [&](const PretokenBlock& block) { counter.add(block); });
    benchmark::DoNotOptimize(counter.distinct());
  }
  report(state);
}
BENCHMARK(count)->Unit(benchmark::kMillisecond);

void merge(benchmark::State& state) {
  const Material& m = material();
  const std::size_t half = m.text.find(kSeparator, m.text.size() / 2);
  const std::size_t cut = half == std::string_view::npos ? m.text.size() : half;
  write_table(m.file("a.table"), m.text.substr(0, cut));
  write_table(m.file("b.table"), m.text.substr(cut));
  write_table(m.file("all.table"), m.text);
  const CountTableReader a(m.file("a.table")), b(m.file("b.table"));
  for (auto _ : state) {
    CountTableWriter writer(m.file("sum.table"));
    for (std::size_t p = 0; p < count_table_format::kPartitions; ++p) merge_partition({&a, &b}, p, writer);
    writer.commit({});
  }
  report(state);
  if (read_file(m.file("sum.table")) != read_file(m.file("all.table"))) {
    state.SkipWithError("the sum of two tables is not the table of all");
  }
}
BENCHMARK(merge)->Unit(benchmark::kMillisecond);

WordSource words() {
  static const std::map<std::string, std::uint64_t> counts = [] {
    write_table(material().file("words.table"), material().text);
    return read_table(material().file("words.table"));
  }();
  return {1, [](std::size_t, const WordSource::Take& take) {
            for (const auto& [word, number] : counts) take(word, number);
          }};
}

TrainerResult trained(std::uint64_t threshold) {
  TrainerOptions options;
  options.merges = kMerges;
  options.threshold = threshold;
  return tokmill::train(words(), options);
}

void train(benchmark::State& state) {
  const TrainerResult expected = trained(1);  // all pairs indexed from the beginning
  for (auto _ : state) {
    if (trained(0).merges != expected.merges)
      return state.SkipWithError("the merges depend on the threshold");
  }
  report(state);
}
BENCHMARK(train)->Unit(benchmark::kMillisecond);

TokenizerModel model() {
  const TrainerResult result = trained(0);
  TokenizerModel model;
  model.tokens = result.symbols();
  for (std::uint32_t i = 0; i < result.merges.size(); ++i) {
    model.merges.push_back({result.merges[i].left, result.merges[i].right, 256 + i});
  }
  add_special(model, kSeparator);
  return model;
}

std::string encoded(const TokenizerModel& model, Encoder<std::uint16_t>& encoder) {
  std::string ids;
  IdBuffer<std::uint16_t> buffer([&](std::string_view piece) { ids += piece; });
  for_each_block(material().text, *material().scanner, [&](const PretokenBlock& block) {
    encoder.prepare(block);
    std::size_t at = 0;
    for (std::size_t i = 0; i < block.special_count; ++i) {
      encoder.encode(block, at, block.specials[i].entry, buffer);
      buffer.append(static_cast<std::uint16_t>(model.specials[0].id));
      at = block.specials[i].entry + 1;
    }
    encoder.encode(block, at, block.size, buffer);
  });
  buffer.flush();
  return ids;
}

std::string encoded(const TokenizerModel& model) {
  Encoder<std::uint16_t> encoder(model);
  return encoded(model, encoder);
}

// All of it: scanning, looking up, and merging what is new.
void encode(benchmark::State& state) {
  const TokenizerModel m = model();
  std::string ids, text;
  for (auto _ : state) ids = encoded(m);
  report(state);
  std::size_t bad;
  if (!Decoder(m).decode(ids, 2, text, bad) || text != material().text) {
    state.SkipWithError("the ids do not decode to the text");
  }
}
BENCHMARK(encode)->Unit(benchmark::kMillisecond);

// The same where all pretokens are known: scanning and looking up.
void encode_known(benchmark::State& state) {
  const TokenizerModel m = model();
  Encoder<std::uint16_t> encoder(m);
  const std::string expected = encoded(m, encoder);
  std::string ids;
  for (auto _ : state) ids = encoded(m, encoder);
  report(state);
  if (ids != expected) state.SkipWithError("what is known changes the ids");
}
BENCHMARK(encode_known)->Unit(benchmark::kMillisecond);

// Merging every different pretoken once: what encoding has to do besides.
void merge_new(benchmark::State& state) {
  const TokenizerModel m = model();
  MergeLoop<std::uint16_t> loop(m);
  std::vector<std::string> pretokens;
  words().read(0, [&](std::string_view pretoken, std::uint64_t) { pretokens.emplace_back(pretoken); });
  std::uint64_t ids = 0, bytes = 0;
  for (auto _ : state) {
    ids = 0;
    for (const std::string& pretoken : pretokens) ids += loop.encode(pretoken).size();
  }
  report(state);
  state.counters["pretokens"] = static_cast<double>(pretokens.size());
  for (const std::string& pretoken : pretokens) {
    for (const std::uint16_t id : loop.encode(pretoken)) bytes += m.tokens[id].size();
    bytes -= pretoken.size();
  }
  if (bytes != 0 || ids < pretokens.size()) state.SkipWithError("the ids are not as long as their pretokens");
}
BENCHMARK(merge_new)->Unit(benchmark::kMillisecond);

void decode(benchmark::State& state) {
  const TokenizerModel m = model();
  const std::string ids = encoded(m);
  const Decoder decoder(m);
  std::string text;
  for (auto _ : state) {
    text.clear();
    std::size_t bad;
    decoder.decode(ids, 2, text, bad);
  }
  report(state);
  if (text != material().text) state.SkipWithError("the ids do not decode to the text");
}
BENCHMARK(decode)->Unit(benchmark::kMillisecond);

void compress(benchmark::State& state) {
  const std::string ids = encoded(model());
  const std::string path = material().file("ids.zst");
  std::uint64_t size = 0;
  for (auto _ : state) {
    FrameWriter writer(path, static_cast<int>(state.range(0)), static_cast<std::uint32_t>(state.range(1)));
    writer.append(ids);
    writer.commit();
    size = writer.file().size();
  }
  report(state);
  state.counters["share_of_ids"] = static_cast<double>(size) / static_cast<double>(ids.size());
  FrameReader reader(path);
  std::string back;
  for (std::size_t i = 0; i < reader.frames().size(); ++i) back += reader.read(i);
  if (back != ids) state.SkipWithError("the frames do not give the ids back");
}
BENCHMARK(compress)
    ->ArgNames({"level", "frame"})
    ->ArgsProduct({{-5, -3, -2, -1, 1, 3}, {256 << 10, 1 << 20, 4 << 20}})
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
