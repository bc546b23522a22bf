// The pattern `gpt2`, by a scanner written by hand.
#pragma once

#include "text/scanner.h"

namespace tokmill {

/// '(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+ over the pinned Unicode tables;
/// an invalid byte is one character that is neither letter, number nor white space. Drops nothing.
///
/// A safe cut is a place before ASCII white space and after a character that is not white space: every
/// pretoken that reaches such a place ends there.
class Gpt2Scanner : public Scanner {
 public:
  const char* scan(const char* from, const char* end, PretokenBlock& block) const override;
  const char* first_safe_cut(const char* text_begin, const char* from, const char* end) const override;
  const char* last_safe_cut(const char* begin, const char* end) const override;
};

}  // namespace tokmill
