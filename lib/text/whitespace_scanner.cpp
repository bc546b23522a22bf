// Two loops in turn: over white space, over what is not. A byte at a time through a table.
#include "text/whitespace_scanner.h"

#include "text/classified_character.h"

namespace tokmill {

namespace {

// The end of the run of white space (or of what is not) that begins at p.
const char* run_end(const char* p, const char* end, bool white_space) {
  while (p < end) {
    const ClassifiedCharacter character = classify(p, end);
    if ((character.character_class == kWhiteSpace) != white_space) break;
    p += character.length;
  }
  return p;
}

}  // namespace

const char* WhitespaceScanner::scan(const char* from, const char* end, PretokenBlock& block) const {
  block.end = block.ends.data();
  const char* p = from;
  while (!block.full()) {
    p = run_end(p, end, true);
    if (p == end) break;
    const char* const begin = p;
    p = run_end(p, end, false);
    block.append(begin, p);
  }
  return p;
}

const char* WhitespaceScanner::first_safe_cut(const char*, const char* from, const char* end) const {
  for (const char* p = from; p < end; ++p) {
    if (is_ascii_white_space(static_cast<std::uint8_t>(*p))) return p;
  }
  return nullptr;
}

const char* WhitespaceScanner::last_safe_cut(const char* begin, const char* end) const {
  for (const char* p = end; p > begin + 1;) {
    if (is_ascii_white_space(static_cast<std::uint8_t>(*--p))) return p;
  }
  return nullptr;
}

}  // namespace tokmill
