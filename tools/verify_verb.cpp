#include <optional>

#include "command_line.h"
#include "pipeline/verify.h"
#include "report_printer.h"
#include "verbs.h"

namespace tokmill::tools {

void verify_verb(const Arguments& arguments) {
  CommandLine line("verify SHARDS_DIR|TOKENIZER_DIR|TABLE [--against CORPUS...]",
                   "Checks every byte that tokmill wrote against its checksums, and every id and document "
                   "end of shards. Names\n"
                   "the first file that is damaged.",
                   "tokmill verify shards --against corpus.txt");
  line.list("against", "CORPUS",
            "also compare the shards' text with the corpus they were made from, byte for byte")
      .run_options();
  if (!line.parse(arguments)) return;
  const std::string path = line.operand("SHARDS_DIR");
  std::optional<Corpus> against;
  if (line.has("against")) against = find_corpus(line.texts("against"));
  print_report(run_verify(path, against ? &*against : nullptr, line.run()), line);
}

}  // namespace tokmill::tools
