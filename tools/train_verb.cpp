#include <optional>

#include "command_line.h"
#include "corpus_options.h"
#include "io/error.h"
#include "pipeline/train.h"
#include "report_printer.h"
#include "verbs.h"

namespace tokmill::tools {

void train_verb(const Arguments& arguments) {
  CommandLine line(
      "train CORPUS... --vocab-size N [--special TOKEN]... -o TOKENIZER_DIR",
      "Learns a byte-level BPE tokenizer. CORPUS is a file, a directory, a glob or @LIST. The result depends "
      "on\n"
      "the text and the options of this block alone, not on jobs, memory, shard size or interruptions.",
      "tokmill train corpus.txt --vocab-size 32000 --special '<|endoftext|>' -o tokenizer");
  line.value("vocab-size", "N", "tokens in the vocabulary: 256 bytes, special tokens and merges (required)");
  add_corpus_options(line)
      .value("special-ids", "PLACE",
             "where special tokens stand among the ids: first, after-bytes, last (default first)")
      .value("min-frequency", "N", "a pair must occur this often to be merged (default 1)")
      .value("tie-break", "RULE",
             "which of equally frequent pairs is merged: bytes, the one with the greatest bytes; hf, the one "
             "that Hugging Face tokenizers merges, and ids are as there (default bytes)")
      .value(
          "checkpoint", "TIME",
          "how often the merges made so far are put by, for a run that is stopped to go on from: seconds, or "
          "as 10m, 1h; off (default 60s)")
      .list("counts", "TABLE", "train on tables that `count` wrote, instead of a CORPUS")
      .value("output,o", "DIR", "directory for the tokenizer (required)")
      .run_options();
  if (!line.parse(arguments)) return;
  TrainOptions options;
  options.vocabulary_size = line.number("vocab-size", (line.required("vocab-size"), 0), 0, UINT32_MAX);
  options.count = corpus_options(line);
  options.special_place = special_place_from_name(line.text("special-ids", "first"));
  options.min_frequency = line.number("min-frequency", 1, 1, UINT64_MAX);
  options.tie_break = tie_break_from_name(line.text("tie-break", "bytes"));
  options.checkpoint_every = line.seconds("checkpoint", options.checkpoint_every);
  const std::string output = line.required("output");
  const std::vector<std::string> tables = line.texts("counts");
  const RunOptions run = line.run();
  if (!tables.empty() && line.has("operands")) throw UsageError("give a CORPUS or --counts, not both");
  const Corpus corpus = tables.empty() ? find_corpus(line.operands("CORPUS")) : Corpus();
  print_report(run_train(corpus, tables, options, run, output), line);
}

}  // namespace tokmill::tools
