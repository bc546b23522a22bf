#include "text/instruction_set.h"

#include <algorithm>
#include <cstdlib>

#include "io/error.h"
#include "text/vector_target.h"

namespace tokmill {

std::vector<std::string> instruction_sets() {
  std::vector<std::string> names;
  for (const VectorTarget& target : vector_targets()) names.emplace_back(target.name);
  names.emplace_back("scalar");
  return names;
}

std::string instruction_set() {
  const std::vector<std::string> known = instruction_sets();
  const char* const forced = std::getenv(kInstructionsVariable);
  if (forced == nullptr || *forced == '\0') return known.front();
  if (std::ranges::find(known, forced) != known.end()) return forced;
  std::string names;
  for (const std::string& name : known) names += (names.empty() ? "" : ", ") + name;
  throw UsageError(std::string(kInstructionsVariable) + "=" + forced + ": this processor has " + names);
}

}  // namespace tokmill
