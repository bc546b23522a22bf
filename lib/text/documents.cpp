#include "text/documents.h"

#include "io/error.h"

namespace tokmill {

std::string_view separator_rule_name(SeparatorRule rule) {
  switch (rule) {
    case SeparatorRule::kAppend:
      return "append";
    case SeparatorRule::kPrepend:
      return "prepend";
    case SeparatorRule::kNone:
      break;
  }
  return "none";
}

SeparatorRule separator_rule_from_name(std::string_view name) {
  for (const auto rule : {SeparatorRule::kAppend, SeparatorRule::kPrepend, SeparatorRule::kNone}) {
    if (separator_rule_name(rule) == name) return rule;
  }
  throw UsageError("'" + std::string(name) + "' is no separator rule; use append, prepend or none");
}

}  // namespace tokmill
