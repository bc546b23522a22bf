#include "text/scanner.h"

#include <array>

#include "io/error.h"
#include "text/gpt2_scanner.h"
#include "text/instruction_set.h"
#include "text/vector_gpt2_scanner.h"
#include "text/whitespace_scanner.h"
#include "text/whole_scanner.h"

namespace tokmill {

namespace {

struct NamedPattern {
  std::string_view name;
  Pattern pattern;
};

constexpr std::array<NamedPattern, 3> kPatterns = {{
    {"gpt2", Pattern::kGpt2},
    {"whitespace", Pattern::kWhitespace},
    {"none", Pattern::kNone},
}};

}  // namespace

std::string_view pattern_name(Pattern pattern) {
  for (const NamedPattern& known : kPatterns) {
    if (known.pattern == pattern) return known.name;
  }
  throw Error("a pattern without a name");
}

Pattern pattern_from_name(std::string_view name) {
  std::string names;
  for (const NamedPattern& known : kPatterns) {
    if (known.name == name) return known.pattern;
    names += (names.empty() ? "" : ", ") + std::string(known.name);
  }
  throw UsageError("unknown pattern '" + std::string(name) + "'; known are " + names);
}

std::unique_ptr<const Scanner> make_gpt2_scanner(std::string_view instructions) {
  if (const auto target = vector_target(instructions)) return std::make_unique<VectorGpt2Scanner>(*target);
  return std::make_unique<Gpt2Scanner>();
}

std::unique_ptr<const Scanner> make_scanner(Pattern pattern) {
  switch (pattern) {
    case Pattern::kGpt2:
      return make_gpt2_scanner(instruction_set());
    case Pattern::kWhitespace:
      return std::make_unique<WhitespaceScanner>();
    case Pattern::kNone:
      return std::make_unique<WholeScanner>();
  }
  throw Error("a pattern without a scanner");
}

}  // namespace tokmill
