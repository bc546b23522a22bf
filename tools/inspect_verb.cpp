#include <iostream>

#include "command_line.h"
#include "format/json_text.h"
#include "inspection.h"
#include "verbs.h"

namespace tokmill::tools {

void inspect_verb(const Arguments& arguments) {
  CommandLine line("inspect PATH [--json|--html]",
                   "Says what a count table, a tokenizer or a directory of shards holds.",
                   "tokmill inspect tokenizer");
  line.flag("json", "print JSON").flag("html", "print a page of HTML");
  if (!line.parse(arguments)) return;
  const boost::json::object facts = inspect(line.operand("PATH"));
  if (line.has("html")) {
    std::cout << to_html(facts);
  } else if (line.json()) {
    std::cout << to_text(facts);
  } else {
    std::cout << to_lines(facts);
  }
}

}  // namespace tokmill::tools
