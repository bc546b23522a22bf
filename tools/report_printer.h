// Prints the final report on standard output.
#pragma once

#include "command_line.h"
#include "pipeline/run_options.h"

namespace tokmill::tools {

/// As JSON, as a few lines for people, or not at all, as the command line says.
void print_report(const RunReport& report, const CommandLine& line);

}  // namespace tokmill::tools
