// Shows progress on standard error.
#pragma once

#include <string>

#include "pipeline/progress.h"

namespace tokmill::tools {

/// `how` is auto (a bar on a terminal, else plain), bar, plain (a line every ten seconds and at the end of a
/// stage), json (the same as JSON objects) or none. Throws UsageError for another.
ProgressSink make_progress_printer(const std::string& how);

}  // namespace tokmill::tools
