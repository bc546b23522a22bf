// Boost.Regex over code points, with traits of our own and an iterator that reads the bytes: no ICU, which
// would bring its own version of Unicode, names \p{L} otherwise, and throws on invalid UTF-8.
//
// Boost reads `\p` inside brackets as a plain `p`, and asks the traits for a class `S` where it finds `\S`,
// which is another one in Unicode. So \p{L}, \P{L} and \S are rewritten to [:L:], [:^L:] and [:^s:].
#include "text/regex_scanner.h"

#include <algorithm>
#include <boost/regex.hpp>
#include <string>

#include "io/error.h"
#include "text/unicode_regex_traits.h"
#include "text/utf8_iterator.h"

namespace tokmill {

struct RegexScanner::Compiled {
  boost::basic_regex<char32_t, UnicodeRegexTraits> regex;
};

namespace {

std::u32string code_points(std::string_view text) {
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  if (find_invalid_utf8(text) != std::string_view::npos) throw UsageError("the pattern is not valid UTF-8");
  return {Utf8Iterator(begin, begin, end), Utf8Iterator(begin, end, end)};
}

// Rewrites the escapes that name classes. A `]` that stands first in brackets is an ordinary character.
class ClassEscapes {
 public:
  explicit ClassEscapes(const std::u32string& regex) : regex_(regex) {}

  std::u32string rewrite() {
    while (at_ < regex_.size()) {
      if (next() == U'\\') {
        rewrite_escape(false);
      } else if (next() == U'[') {
        rewrite_brackets();
      } else {
        copy(1);
      }
    }
    return out_;
  }

 private:
  char32_t next(std::size_t ahead = 0) const {
    return at_ + ahead < regex_.size() ? regex_[at_ + ahead] : U'\0';
  }

  void copy(std::size_t count) {
    out_.append(regex_, at_, count);
    at_ = std::min(at_ + count, regex_.size());
  }

  void rewrite_brackets() {
    copy(next(1) == U'^' ? 2 : 1);
    if (next() == U']') copy(1);
    while (at_ < regex_.size() && next() != U']') {
      if (next() == U'\\') {
        rewrite_escape(true);
      } else if (next() == U'[' && next(1) == U':') {
        const std::size_t close = regex_.find(U":]", at_ + 2);
        copy(close == std::u32string::npos ? 2 : close + 2 - at_);
      } else {
        copy(1);
      }
    }
    copy(1);
  }

  void rewrite_escape(bool in_brackets) {
    const char32_t letter = next(1);
    if (letter == U'p' || letter == U'P') {
      at_ += 2;
      write_class(property_name(), letter == U'P', in_brackets);
    } else if (letter == U'S' || letter == U'D' || letter == U'W') {
      at_ += 2;
      write_class(std::u32string(1, letter + 32), true, in_brackets);
    } else {
      copy(2);
    }
  }

  // Of a \p: one letter, or what stands in braces.
  std::u32string property_name() {
    const std::size_t close = next() == U'{' ? regex_.find(U'}', at_) : at_;
    if (close >= regex_.size()) throw UsageError("bad pattern: \\p without a name after it");
    const bool in_braces = close != at_;
    const std::u32string name =
        in_braces ? regex_.substr(at_ + 1, close - at_ - 1) : std::u32string(1, next());
    at_ = close + 1;
    return name;
  }

  void write_class(std::u32string name, bool negated, bool in_brackets) {
    if (name.starts_with(U'^')) {
      negated = !negated;
      name.erase(0, 1);
    }
    name = (negated ? U"[:^" : U"[:") + name + U":]";
    out_ += in_brackets ? name : U'[' + name + U']';
  }

  const std::u32string& regex_;
  std::size_t at_ = 0;
  std::u32string out_;
};

// Boost quotes the expression in its message, but cuts code points down to bytes.
std::string ascii_only(std::string message) {
  std::replace_if(
      message.begin(), message.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return message;
}

}  // namespace

RegexScanner::RegexScanner(std::string_view regex) {
  const std::u32string points = code_points(regex);
  auto compiled = std::make_unique<Compiled>();
  try {
    compiled->regex.assign(ClassEscapes(points).rewrite());
  } catch (const boost::regex_error& error) {
    throw UsageError("bad pattern: " + ascii_only(error.what()));
  }
  compiled_ = std::move(compiled);
}

RegexScanner::~RegexScanner() = default;

const char* RegexScanner::scan(const char* from, const char* end, PretokenBlock& block) const {
  const auto flags =
      boost::match_default | boost::match_not_null | boost::match_not_dot_newline | boost::match_single_line;
  block.end = block.ends.data();
  const Utf8Iterator last(from, end, end);
  boost::match_results<Utf8Iterator> match;
  const char* p = from;
  while (!block.full()) {
    try {
      if (!boost::regex_search(Utf8Iterator(from, p, end), last, match, compiled_->regex, flags)) return end;
    } catch (const std::runtime_error& error) {
      throw Error("the pattern is too complex for this text: " + ascii_only(error.what()));
    }
    p = match[0].second.place();
    block.append(match[0].first.place(), p);
  }
  return p;
}

}  // namespace tokmill
