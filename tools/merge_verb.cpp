#include "command_line.h"
#include "pipeline/count.h"
#include "report_printer.h"
#include "verbs.h"

namespace tokmill::tools {

void merge_verb(const Arguments& arguments) {
  CommandLine line(
      "merge TABLE... -o TABLE",
      "Adds count tables into one: the same file as if all had been counted at once. They must have been\n"
      "counted with the same pattern and special tokens.",
      "tokmill merge part1.table part2.table -o all.table");
  line.value("output,o", "TABLE", "file for the sum (required)").run_options();
  if (!line.parse(arguments)) return;
  const std::string output = line.required("output");
  print_report(run_merge(line.operands("TABLE"), line.run(), output), line);
}

}  // namespace tokmill::tools
