// A text with special tokens in it, as blocks of pretokens.
#pragma once

#include <string>
#include <string_view>

#include "text/pretoken_block.h"
#include "text/scanner.h"
#include "text/special_tokens.h"

namespace tokmill {

/// Cuts a text first at its special tokens, then each stretch between them by the pattern. Looks at the
/// text a window at a time, so that it passes through the cache once and nothing grows with its length
/// (except that a pretoken is never cut).
class Pretokenizer {
 public:
  /// Bytes looked at together; tests shrink it.
  static constexpr std::size_t kWindow = 64 * 1024;

  /// Both must outlive the pretokenizer.
  Pretokenizer(const Scanner& scanner, const SpecialTokens& specials, std::size_t window = kWindow);

  /// Begins a text; Scanner::kSlack bytes past its end must be readable. The views in blocks point into it.
  void start(std::string_view text);
  /// The next block, valid until the next call; empty at the end of the text.
  const PretokenBlock& next();

 private:
  void find_stretch();

  const Scanner& scanner_;
  const SpecialTokens& specials_;
  const std::size_t window_;
  const char* at_ = nullptr;           // next byte to be cut
  const char* stretch_end_ = nullptr;  // of the stretch being cut: no special token before it
  const char* end_ = nullptr;
  SpecialTokens::Match special_{};  // the one that stands at stretch_end_, if any
  PretokenBlock block_;
};

}  // namespace tokmill
