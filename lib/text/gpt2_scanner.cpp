// The pattern needs no backtracking: the class of a pretoken's first character (after the one space that may
// precede it) says which run it is, and a run goes on as long as the class does. Only white space looks
// ahead: `\s+(?!\S)` leaves the last of several white space characters to what follows, and so gives the
// space in front of a word to the word. An apostrophe is ordinary inside a run; it is a contraction only
// where a pretoken begins with it.
//
// Bytes go through a table of 256 classes, other characters than ASCII through the two-stage tables. The cost
// is a byte at a time and a mispredicted branch or two at the end of each pretoken: 400 MB/s of English.
#include "text/gpt2_scanner.h"

#include "text/classified_character.h"

namespace tokmill {

namespace {

// The length of the contraction at p, with *p == '\'', or 0. Case matters, as it did to GPT-2.
int contraction_length(const char* p, const char* end) {
  if (end - p < 2) return 0;
  const char first = p[1];
  if (first == 's' || first == 't' || first == 'm' || first == 'd') return 2;
  if (end - p < 3) return 0;
  const char second = p[2];
  const bool pair = (first == 'l' && second == 'l') || ((first == 'v' || first == 'r') && second == 'e');
  return pair ? 3 : 0;
}

// The end of the run of characters of that class that goes on at p.
inline const char* run_end(const char* p, const char* end, std::uint8_t wanted) {
  while (p < end) {
    const std::uint8_t byte_class = kByteClasses[static_cast<std::uint8_t>(*p)];
    if (byte_class == wanted) {
      ++p;
    } else if (byte_class != kNotAscii) {
      break;
    } else {
      const ClassifiedCharacter character = classify(p, end);
      if (character.character_class != wanted) break;
      p += character.length;
    }
  }
  return p;
}

// The end of the pretoken of white space at p, whose first character is `length` bytes long.
const char* white_space_end(const char* p, const char* end, std::uint32_t length) {
  const char* last = p;  // the last white space character seen
  const char* next = p + length;
  while (next < end) {
    const ClassifiedCharacter character = classify(next, end);
    if (character.character_class != kWhiteSpace) return last == p ? next : last;
    last = next;
    next += character.length;
  }
  return next;
}

// The end of the pretoken that begins at p < end.
inline const char* pretoken_end(const char* p, const char* end) {
  ClassifiedCharacter character = classify(p, end);
  if (character.character_class == kWhiteSpace) {
    const char* const after_space = p + 1;
    if (*p != ' ' || after_space == end) return white_space_end(p, end, character.length);
    character = classify(after_space, end);
    if (character.character_class == kWhiteSpace) return white_space_end(p, end, 1);
    return run_end(after_space + character.length, end, character.character_class);
  }
  if (*p == '\'') {
    if (const int length = contraction_length(p, end)) return p + length;
  }
  return run_end(p + character.length, end, character.character_class);
}

// Whether the character that ends at p is known not to be white space. Its last bytes tell, even in invalid
// text, since a byte that begins a character never belongs to the one before. Where the bytes after
// text_begin are too few to tell (what precedes them may be anything) the answer is no.
bool follows_other_than_white_space(const char* text_begin, const char* p) {
  const auto before = [p](int distance) { return static_cast<std::uint8_t>(p[-distance]); };
  const auto available = p - text_begin;
  if (available < 1) return false;
  if (before(1) < 0x80) return !is_ascii_white_space(before(1));
  if (before(1) >= 0xC0) return true;  // begins a character that is cut off
  if (available < 2) return false;
  if (before(2) == 0xC2) return before(1) != 0x85 && before(1) != 0xA0;
  if (before(2) < 0x80 || before(2) >= 0xC0) return true;
  if (available < 3) return false;
  // White space in three bytes: U+1680, U+2000..200A, U+2028, U+2029, U+202F, U+205F, U+3000.
  const std::uint32_t three = before(3) << 16 | before(2) << 8 | before(1);
  return !(three == 0xE19A80 || (three >= 0xE28080 && three <= 0xE2808A) || three == 0xE280A8 ||
           three == 0xE280A9 || three == 0xE280AF || three == 0xE2819F || three == 0xE38080);
}

bool is_safe_cut(const char* text_begin, const char* p) {
  return is_ascii_white_space(static_cast<std::uint8_t>(*p)) && follows_other_than_white_space(text_begin, p);
}

}  // namespace

const char* Gpt2Scanner::scan(const char* from, const char* end, PretokenBlock& block) const {
  std::size_t size = block.size;
  const char* p = from;
  block.starts[size] = block.offset(p);
  while (size < PretokenBlock::kEnough && p < end) {
    p = pretoken_end(p, end);
    block.starts[++size] = block.offset(p);
  }
  block.size = size;
  return p;
}

const char* Gpt2Scanner::first_safe_cut(const char* text_begin, const char* from, const char* end) const {
  for (const char* p = from; p < end; ++p) {
    if (is_safe_cut(text_begin, p)) return p;
  }
  return nullptr;
}

const char* Gpt2Scanner::last_safe_cut(const char* begin, const char* end) const {
  for (const char* p = end; p > begin + 1;) {
    if (is_safe_cut(begin, --p)) return p;
  }
  return nullptr;
}

}  // namespace tokmill
