// The text is taken a window at a time. A special token that begins in the window ends the stretch; where
// there is none, the stretch ends at the last place in the window where the pattern always splits. No special
// token straddles that place, since none begins before the end of the window. Where the pattern has no such
// place, the window doubles, and only the new half is searched for specials: the work stays linear even for a
// text that is one pretoken.
//
// A block goes on over several stretches, so that a corpus of short documents makes full blocks too. It ends
// early only where it would reach far, because its places are 32-bit.
#include "text/pretokenizer.h"

#include <algorithm>

namespace tokmill {

namespace {

// A block that has come so far takes no further stretch; leaves a pretoken almost 4 GiB.
constexpr std::ptrdiff_t kFar = 1 << 20;

}  // namespace

Pretokenizer::Pretokenizer(const Scanner& scanner, const SpecialTokens& specials, std::size_t window)
    : scanner_(scanner), specials_(specials), window_(std::max<std::size_t>(window, 1)) {}

void Pretokenizer::start(std::string_view text) {
  at_ = stretch_end_ = text.data();
  end_ = at_ + text.size();
  special_ = {};
  block_.clear(at_);
}

const PretokenBlock& Pretokenizer::next() {
  block_.clear(at_);
  while (!block_.full()) {
    if (block_.size == 0) {
      block_.base = at_;  // dropped text takes no room
    } else if (at_ - block_.base > kFar) {
      break;
    }
    if (at_ != stretch_end_) {
      at_ = scanner_.scan(at_, stretch_end_, block_);
    } else if (special_) {
      block_.specials[block_.special_count++] = {static_cast<std::uint32_t>(block_.size), special_.index};
      block_.append(special_.begin, special_.end);
      at_ = stretch_end_ = special_.end;
      special_ = {};
    } else if (at_ != end_) {
      find_stretch();
    } else {
      break;
    }
  }
  return block_;
}

// Sets stretch_end_ and special_ for the text from at_ on, which is not at its end.
void Pretokenizer::find_stretch() {
  const char* searched = at_;
  for (std::size_t window = window_;; window *= 2) {
    const bool is_last = static_cast<std::size_t>(end_ - at_) <= window;
    const char* const window_end = is_last ? end_ : at_ + window;
    special_ = specials_.find(searched, window_end, end_);
    stretch_end_ = special_ ? special_.begin : is_last ? end_ : scanner_.last_safe_cut(at_, window_end);
    if (stretch_end_ != nullptr) return;
    searched = window_end;
  }
}

}  // namespace tokmill
