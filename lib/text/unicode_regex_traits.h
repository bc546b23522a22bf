// What Boost.Regex asks about characters, answered from the pinned Unicode tables.
#pragma once

#include <cstdint>
#include <string>

#include "text/unicode_classes.h"

namespace tokmill {

/// A traits class for boost::basic_regex<char32_t, UnicodeRegexTraits>. The classes that it knows, as \p{...}
/// or [[:...:]]:
///
///   L, N, s, space        letters, numbers, white space, after Unicode
///   alpha, alnum, word, w letters; letters and numbers; the same and '_'
///   d, digit, l, lower, u, upper   the ASCII ones: the tables carry no more
///
/// Ignoring case knows ASCII only, for the same reason. An invalid byte is in no class.
class UnicodeRegexTraits {
 public:
  using char_type = char32_t;
  using size_type = std::size_t;
  using string_type = std::u32string;
  using char_class_type = std::uint32_t;
  struct locale_type {};

  static size_type length(const char_type* s) { return std::char_traits<char_type>::length(s); }
  char_type translate(char_type c) const { return c; }
  char_type translate_nocase(char_type c) const { return c >= U'A' && c <= U'Z' ? c + 32 : c; }
  string_type transform(const char_type* first, const char_type* last) const { return {first, last}; }
  string_type transform_primary(const char_type* first, const char_type* last) const { return {first, last}; }
  /// The mask of a class, or 0: unknown.
  char_class_type lookup_classname(const char_type* first, const char_type* last) const;
  /// Only single characters have names: their own.
  string_type lookup_collatename(const char_type* first, const char_type* last) const {
    return last - first == 1 ? string_type(first, last) : string_type();
  }
  bool isctype(char_type c, char_class_type mask) const;
  /// The value of a digit in the radix, or -1.
  int value(char_type c, int radix) const;
  locale_type imbue(locale_type locale) const { return locale; }
  locale_type getloc() const { return {}; }
};

}  // namespace tokmill
