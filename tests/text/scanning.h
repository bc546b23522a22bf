// Texts that are hard on scanners, and the pretokens of a text as places.
#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "support.h"
#include "text/scanner.h"

namespace tokmill::test {

/// A pretoken's bytes, as offsets into the text.
struct Span {
  std::size_t begin;
  std::size_t end;
  bool operator==(const Span&) const = default;
};
inline std::ostream& operator<<(std::ostream& out, const Span& span) {
  return out << '[' << span.begin << ", " << span.end << ')';
}

/// Characters, parts of characters and contractions at which the patterns decide.
inline const std::vector<std::string>& nasty_atoms() {
  static const std::vector<std::string> atoms = {" ",
                                                 " ",
                                                 "  ",
                                                 "\t",
                                                 "\n",
                                                 "\r\n",
                                                 "\v",
                                                 "\f",
                                                 std::string(1, '\0'),
                                                 "\x1C",
                                                 "\x1F",
                                                 "\x7F",
                                                 "'",
                                                 "''",
                                                 "'s",
                                                 "'t",
                                                 "'m",
                                                 "'d",
                                                 "'ll",
                                                 "'ve",
                                                 "'re",
                                                 "'S",
                                                 "'l",
                                                 "'v",
                                                 "'r",
                                                 " 's",
                                                 "l",
                                                 "e",
                                                 "v",
                                                 "a",
                                                 "Zebra",
                                                 "it's",
                                                 "0",
                                                 "42",
                                                 ".",
                                                 "!?",
                                                 "<|",
                                                 "_",
                                                 "-",
                                                 "\u00A0",
                                                 "\u0085",
                                                 "\u1680",
                                                 "\u2000",
                                                 "\u200A",
                                                 "\u200B",
                                                 "\u2028",
                                                 "\u2029",
                                                 "\u202F",
                                                 "\u205F",
                                                 "\u3000",
                                                 "\uFEFF",
                                                 "\u180E",
                                                 "\u0301",
                                                 "\u00E9",
                                                 "\u00B2",
                                                 "\u00BD",
                                                 "\u0660",
                                                 "\u2167",
                                                 "\u4E00",
                                                 "\u5F88\u9AD8\u5174",
                                                 "\u3002",
                                                 "\uFF10",
                                                 "\uD55C",
                                                 "\u0E01\u0E33",
                                                 "\u2019s",
                                                 "\u20AC",
                                                 "\U0001F600",
                                                 "\U00020000",
                                                 "\U0001D7D8",
                                                 "\U0010FFFF",
                                                 "\U00010330",
                                                 "\x80",
                                                 "\x85",
                                                 "\xA0",
                                                 "\xC2",
                                                 "\xC0\x80",
                                                 "\xC3",
                                                 "\xE0\x80\x80",
                                                 "\xE2",
                                                 "\xE2\x80",
                                                 "\xE3",
                                                 "\xE3\x80",
                                                 "\xE1\x9A",
                                                 "\xED\xA0\x80",
                                                 "\xEF\xBF",
                                                 "\xF0\x9F",
                                                 "\xF0\x9F\x98",
                                                 "\xF4\x90\x80\x80",
                                                 "\xF5",
                                                 "\xFF",
                                                 "\xFE"};
  return atoms;
}

/// Random bytes, or nasty atoms, or a few of them again and again.
inline std::string nasty_text(Random& random, std::size_t longest) {
  const std::size_t size = random.below(longest + 1);
  const std::size_t kind = random.below(8);
  if (kind == 0) return random.bytes(size);
  if (kind > 3) return random.join(nasty_atoms(), size);
  std::vector<std::string> few(random.between(2, 5));
  for (std::string& atom : few) atom = random.pick(nasty_atoms());
  return random.join(few, size);
}

/// The pretokens of [from, end) as places in the text that begins at `base`.
inline std::vector<Span> spans(const Scanner& scanner, const char* base, const char* from, const char* end) {
  std::vector<Span> out;
  PretokenBlock block;
  while (from != end) {
    block.clear(from);
    const char* const next = scanner.scan(from, end, block);
    for (std::size_t i = 0; i < block.size; ++i) {
      const auto begin = static_cast<std::size_t>(block[i].data() - base);
      out.push_back({begin, begin + block[i].size()});
    }
    from = next;
  }
  return out;
}
inline std::vector<Span> spans(const Scanner& scanner, const PaddedText& text) {
  return spans(scanner, text.begin(), text.begin(), text.end());
}

/// The pretokens' spellings.
inline std::vector<std::string> spell(const Scanner& scanner, std::string_view text) {
  const PaddedText padded(text);
  std::vector<std::string> out;
  for (const Span& span : spans(scanner, padded))
    out.emplace_back(text.substr(span.begin, span.end - span.begin));
  return out;
}

/// The text with every byte spelled, for messages.
inline std::string escaped(std::string_view text) {
  static const char* const digits = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= ' ' && byte < 0x7F && c != '\\') {
      out += c;
    } else {
      out += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
    }
  }
  return out;
}

}  // namespace tokmill::test
