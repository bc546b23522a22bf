#include "text/unicode_regex_traits.h"

#include <array>
#include <string_view>

namespace tokmill {

namespace {

// Bits beside those of CharacterClass.
enum : std::uint32_t { kUnderscore = 8, kAsciiDigit = 16, kAsciiLower = 32, kAsciiUpper = 64 };

struct NamedClass {
  std::u32string_view name;
  std::uint32_t mask;
};

constexpr std::array<NamedClass, 14> kClasses = {{
    {U"L", kLetter},
    {U"N", kNumber},
    {U"s", kWhiteSpace},
    {U"space", kWhiteSpace},
    {U"alpha", kLetter},
    {U"alnum", kLetter | kNumber},
    {U"w", kLetter | kNumber | kUnderscore},
    {U"word", kLetter | kNumber | kUnderscore},
    {U"d", kAsciiDigit},
    {U"digit", kAsciiDigit},
    {U"l", kAsciiLower},
    {U"lower", kAsciiLower},
    {U"u", kAsciiUpper},
    {U"upper", kAsciiUpper},
}};

bool is_between(char32_t c, char32_t low, char32_t high) {
  return low <= c && c <= high;
}

}  // namespace

UnicodeRegexTraits::char_class_type UnicodeRegexTraits::lookup_classname(const char_type* first,
                                                                         const char_type* last) const {
  const std::u32string_view name(first, static_cast<std::size_t>(last - first));
  for (const NamedClass& known : kClasses) {
    if (known.name == name) return known.mask;
  }
  return 0;
}

bool UnicodeRegexTraits::isctype(char_type c, char_class_type mask) const {
  std::uint32_t classes = class_of(c);
  if (c == U'_') classes |= kUnderscore;
  if (is_between(c, U'0', U'9')) classes |= kAsciiDigit;
  if (is_between(c, U'a', U'z')) classes |= kAsciiLower;
  if (is_between(c, U'A', U'Z')) classes |= kAsciiUpper;
  return (classes & mask) != 0;
}

int UnicodeRegexTraits::value(char_type c, int radix) const {
  int digit = -1;
  if (is_between(c, U'0', U'9')) digit = static_cast<int>(c - U'0');
  if (is_between(c, U'a', U'f')) digit = static_cast<int>(c - U'a') + 10;
  if (is_between(c, U'A', U'F')) digit = static_cast<int>(c - U'A') + 10;
  return digit < radix ? digit : -1;
}

}  // namespace tokmill
