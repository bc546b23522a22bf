// Which instructions of the processor the fast paths use.
#pragma once

#include <string>
#include <vector>

namespace tokmill {

/// The environment variable that forces another set, for tests and for measuring: one of the names below.
inline constexpr char kInstructionsVariable[] = "TOKMILL_INSTRUCTIONS";

/// The sets that this processor can run, the best first, e.g. "avx512", "avx2", "sse4", "scalar". The results
/// are the same with all of them.
std::vector<std::string> instruction_sets();

/// The one in use: the best, or the one that the environment variable names. Throws UsageError where it names
/// none that this processor can run.
std::string instruction_set();

}  // namespace tokmill
