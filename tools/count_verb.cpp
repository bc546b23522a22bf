#include "corpus_options.h"
#include "report_printer.h"
#include "verbs.h"

namespace tokmill::tools {

void count_verb(const Arguments& arguments) {
  CommandLine line("count CORPUS... [--special TOKEN]... -o TABLE",
                   "Counts how often each pretoken occurs. CORPUS is a file, a directory, a glob or @LIST. "
                   "Equal counts are\n"
                   "equal files, however they were made.",
                   "tokmill count part1/ --special '<|endoftext|>' -o part1.table");
  add_corpus_options(line).value("output,o", "TABLE", "file for the table (required)").run_options();
  if (!line.parse(arguments)) return;
  const std::string output = line.required("output");
  const CountOptions options = corpus_options(line);
  print_report(run_count(find_corpus(line.operands("CORPUS")), options, line.run(), output), line);
}

}  // namespace tokmill::tools
