// Scanners cut text into pretokens.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "text/pretoken_block.h"

namespace tokmill {

/// The ways to cut text into pretokens.
enum class Pattern {
  kGpt2,        // '(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
  kWhitespace,  // split on runs of white space, which are dropped
  kNone,        // a stretch of text is one pretoken
};

/// "gpt2", "whitespace", "none".
std::string_view pattern_name(Pattern pattern);
/// The pattern of that name; throws UsageError with the known ones.
Pattern pattern_from_name(std::string_view name);

/// Cuts text by one pattern. Has no state: may be shared by threads.
class Scanner {
 public:
  /// Bytes past the end of any text given to a scanner that must be readable; their values do not matter.
  static constexpr std::size_t kSlack = 64;

  virtual ~Scanner() = default;

  /// Appends the pretokens of [from, end) to `block` until it is full or the text is used up, and returns
  /// the place where the next call goes on: the end of the last pretoken, or `end`.
  ///
  /// `from` must be a place where a pretoken (or dropped text) begins, `end` the end of the stretch. The text
  /// must lie at `block.base` or up to 4 GiB after it; a pretoken that ends farther away is an Error.
  virtual const char* scan(const char* from, const char* end, PretokenBlock& block) const = 0;

  /// The first place p in [from, end), or nullptr, at which the pattern always splits, whatever precedes
  /// `text_begin` and follows `end`: cutting there changes no pretoken.
  virtual const char* first_safe_cut(const char* text_begin, const char* from, const char* end) const = 0;
  /// The last such place in (begin, end), or nullptr.
  virtual const char* last_safe_cut(const char* begin, const char* end) const = 0;
};

/// The scanner of `gpt2` that uses these instructions: one of instruction_sets().
std::unique_ptr<const Scanner> make_gpt2_scanner(std::string_view instructions);

/// The scanner for the pattern, with the instructions in use (see instruction_set()).
std::unique_ptr<const Scanner> make_scanner(Pattern pattern);

}  // namespace tokmill
