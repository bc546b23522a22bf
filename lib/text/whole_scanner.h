// The pattern `none`.
#pragma once

#include "text/scanner.h"

namespace tokmill {

/// Makes one pretoken of the whole text given.
class WholeScanner : public Scanner {
 public:
  const char* scan(const char* from, const char* end, PretokenBlock& block) const override {
    if (from != end && !block.full()) {
      block.append(from, end);
      return end;
    }
    return from;
  }
  const char* first_safe_cut(const char*, const char*, const char*) const override { return nullptr; }
  const char* last_safe_cut(const char*, const char*) const override { return nullptr; }
};

}  // namespace tokmill
