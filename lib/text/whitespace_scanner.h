// The pattern `whitespace`.
#pragma once

#include "text/scanner.h"

namespace tokmill {

/// Splits on runs of Unicode white space, which are dropped. An invalid byte is not white space.
///
/// A safe cut is a place before ASCII white space: whether dropped text is cut makes no difference.
class WhitespaceScanner : public Scanner {
 public:
  const char* scan(const char* from, const char* end, PretokenBlock& block) const override;
  const char* first_safe_cut(const char* text_begin, const char* from, const char* end) const override;
  const char* last_safe_cut(const char* begin, const char* end) const override;
};

}  // namespace tokmill
