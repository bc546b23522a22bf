#include "corpus_options.h"

namespace tokmill::tools {

CommandLine& add_corpus_options(CommandLine& line) {
  return line
      .values("special", "TOKEN",
              "a special token: never counted, never split; may be given several times (default: none)")
      .value("pattern", "NAME", "how text is cut into pretokens: gpt2, whitespace, none (default gpt2)")
      .value("shard-size", "SIZE", "bytes of text that a worker takes at once, as 64M (default 64M)");
}

CountOptions corpus_options(const CommandLine& line) {
  CountOptions options;
  options.specials = line.texts("special");
  options.pattern = pattern_from_name(line.text("pattern", "gpt2"));
  options.shard_size = line.size("shard-size", options.shard_size);
  return options;
}

}  // namespace tokmill::tools
