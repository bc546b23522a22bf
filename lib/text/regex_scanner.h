// Any pattern, by a regular expression.
#pragma once

#include <memory>
#include <string_view>

#include "text/scanner.h"

namespace tokmill {

/// The pattern `gpt2` as OpenAI wrote it.
inline constexpr char kGpt2Regex[] =
    R"('(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

/// Pretokens are the matches of a Perl-like expression, leftmost, found one after the other; text between
/// them is dropped. An invalid byte is one character of no class. `.` does not match a line's end, `^` and
/// `$` are the text's ends, an empty match is none. Twenty to fifty times slower than a scanner written by
/// hand.
///
/// What precedes the place where `scan` goes on cannot be seen: no `^`, `\b` or look-behind across pretokens.
class RegexScanner : public Scanner {
 public:
  /// Takes UTF-8; throws UsageError where it is no regular expression. The classes that it may name are
  /// those of UnicodeRegexTraits; `\p{...}` works inside brackets too.
  explicit RegexScanner(std::string_view regex);
  ~RegexScanner() override;

  /// Throws Error where the expression backtracks without end.
  const char* scan(const char* from, const char* end, PretokenBlock& block) const override;
  /// Nothing is known about where an arbitrary expression splits: nullptr.
  const char* first_safe_cut(const char*, const char*, const char*) const override { return nullptr; }
  const char* last_safe_cut(const char*, const char*) const override { return nullptr; }

 private:
  struct Compiled;
  std::unique_ptr<const Compiled> compiled_;
};

}  // namespace tokmill
