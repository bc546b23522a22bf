// The options of verbs that count a corpus.
#pragma once

#include "command_line.h"
#include "pipeline/count.h"

namespace tokmill::tools {

CommandLine& add_corpus_options(CommandLine& line);
CountOptions corpus_options(const CommandLine& line);

}  // namespace tokmill::tools
