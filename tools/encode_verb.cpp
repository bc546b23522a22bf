#include "command_line.h"
#include "format/tokenizer_files.h"
#include "io/error.h"
#include "pipeline/encode.h"
#include "report_printer.h"
#include "verbs.h"

namespace tokmill::tools {

namespace {

constexpr std::uint64_t kLeastFrame = 1024, kMostFrame = 1 << 30;

EncodeOptions encode_options(const CommandLine& line) {
  EncodeOptions options;
  options.rule = separator_rule_from_name(line.text("eot", "append"));
  if (line.has("eot-token")) options.separator = line.required("eot-token");
  options.shard_size = line.size("shard-size", options.shard_size);
  const std::string format = line.text("format", "zst");
  if (format != "zst" && format != "bin") throw UsageError("--format " + format + ": use zst or bin");
  options.compressed = format == "zst";
  options.level = line.level("level", options.level);
  const std::uint64_t frame = line.size("frame-size", options.frame_size);
  if (frame < kLeastFrame || frame > kMostFrame || frame % 4 != 0) {
    throw UsageError("--frame-size must be a multiple of 4 from 1K to 1G");
  }
  options.frame_size = static_cast<std::uint32_t>(frame);
  if (line.has("dtype")) options.dtype = line.required("dtype");
  options.dry_run = line.has("dry-run");
  options.tokenizer_path = line.required("tokenizer");
  return options;
}

}  // namespace

void encode_verb(const Arguments& arguments) {
  CommandLine line("encode CORPUS... --tokenizer TOKENIZER -o SHARDS_DIR",
                   "Encodes text to token shards, with an index of documents and a manifest of checksums. "
                   "CORPUS is a file, a\n"
                   "directory, a glob or @LIST. TOKENIZER is a directory that `train` wrote, a "
                   "tokenizer.json, or a vocab.json\n"
                   "with its merges.txt (or the directory that holds them).",
                   "tokmill encode corpus.txt --tokenizer tokenizer -o shards");
  line.value("tokenizer", "TOKENIZER", "the tokenizer (required)")
      .values("special", "TOKEN",
              "a special token that the tokenizer does not name itself; may be given several times")
      .value("eot", "RULE",
             "the separator of documents: append it where it is missing, prepend it instead, none (default "
             "append)")
      .value("eot-token", "TOKEN",
             "the separator (default: <|endoftext|>, or the tokenizer's only special token)")
      .value("shard-size", "SIZE",
             "bytes of text in a shard, as 64M; more where that would make over 4096 (default 64M)")
      .value("dtype", "TYPE", "uint16 or uint32 (default: uint16 if all ids fit)")
      .value("format", "NAME", "zst: zstd seekable; bin: plain, for np.memmap (default zst)")
      .value("level", "N", "zstd's level, -7 (fast) to 19 (small) (default -2)")
      .value("frame-size", "SIZE", "bytes of ids in a frame, the unit of random access (default 1M)")
      .flag("dry-run", "do all but write, and report")
      .value("output,o", "DIR", "directory for the shards (required unless --dry-run)")
      .run_options();
  if (!line.parse(arguments)) return;
  const EncodeOptions options = encode_options(line);
  const std::string output = options.dry_run ? line.text("output", "") : line.required("output");
  const TokenizerModel model = read_tokenizer(options.tokenizer_path, line.texts("special"));
  print_report(run_encode(find_corpus(line.operands("CORPUS")), model, options, line.run(), output), line);
}

}  // namespace tokmill::tools
