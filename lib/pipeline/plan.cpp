// The files are laid end to end; wherever a range has reached its length inside a file, a cut is looked for
// in the bytes that follow. Only these are read, so a plan costs little however large the corpus is.
//
// Special tokens may overlap one another, so that what is found depends on where the search begins. It begins
// at a place before the cut that no occurrence straddles: from there on the search finds what a search of the
// whole file finds.
#include "pipeline/plan.h"

#include <algorithm>
#include <memory>

#include "io/error.h"

namespace tokmill {

namespace {

constexpr std::uint64_t kLookBack = 4096;
constexpr std::uint64_t kSteps = 64;  // a search reads this part of its bytes first, then twice as many, ...
constexpr std::uint64_t kBefore = 8;  // bytes of text that scanners may look at before a cut

struct Cut {
  std::uint64_t place;
  bool ends_document;
};

class Cutter {
 public:
  Cutter(const std::string& path, std::uint64_t size, const SpecialTokens& specials, const Scanner& scanner,
         const PlanOptions& options)
      : file_(path), size_(size), specials_(specials), scanner_(scanner), options_(options) {}

  /// The cut at or after `wanted`, where `last` is the cut before it; the file's end if there is none.
  Cut find(std::uint64_t wanted, std::uint64_t last) {
    const std::uint64_t search = std::min(options_.search, std::max<std::uint64_t>(options_.range_size, 1));
    std::uint64_t from = synchronise(wanted, last);
    for (std::uint64_t begin = wanted; begin < size_; begin += search) {
      const std::uint64_t end = std::min(size_, begin + search);
      std::uint64_t step = std::max<std::uint64_t>(search / kSteps, 1);
      for (std::uint64_t to = begin; to != end; step *= 2) {
        to = std::min(end, to + step);
        read_on(to);
        while (const auto match = specials_.find(at(from), at(to), text_end())) {
          if (match.end >= at(wanted)) {
            const std::string& token = specials_.tokens()[match.index];
            return {place_of(match.end), options_.separator.empty() || token == options_.separator};
          }
          from = place_of(match.end);
        }
        from = std::max(from, to);
      }
      // No special token begins here, so none is cut in two.
      if (const char* p = scanner_.first_safe_cut(text_.data(), at(begin), at(end)))
        return {place_of(p), false};
      read_from(end - std::min(end, kBefore));
    }
    return {size_, false};
  }

 private:
  // Begins to read at `begin`.
  void read_from(std::uint64_t begin) {
    begin_ = begin;
    length_ = 0;
  }
  // Reads on, up to `end` and the rest of a special token that begins before it.
  void read_on(std::uint64_t end) {
    const std::uint64_t length = std::min(size_, end + specials_.longest()) - begin_;
    if (length <= length_) return;
    if (text_.size() < length + Scanner::kSlack) text_.resize(length + Scanner::kSlack);
    file_.read_at(begin_ + length_, text_.data() + length_, length - length_);
    length_ = length;
  }

  // A place before `wanted` from which a search is exact: before it, so that a token that ends there is found
  // too. What follows it has been read up to `wanted`.
  std::uint64_t synchronise(std::uint64_t wanted, std::uint64_t last) {
    for (std::uint64_t back = kLookBack;; back *= 2) {
      const std::uint64_t begin = wanted - last > back ? wanted - back : last;
      read_from(begin);
      read_on(wanted);
      const std::uint64_t place = place_of(specials_.synchronise(text_.data(), at(wanted - 1), text_end()));
      // Close to the beginning, occurrences that begin before it would not be seen.
      if (begin == last || place >= begin + specials_.longest()) return place;
    }
  }

  const char* at(std::uint64_t place) const { return text_.data() + (place - begin_); }
  std::uint64_t place_of(const char* p) const {
    return begin_ + static_cast<std::uint64_t>(p - text_.data());
  }
  const char* text_end() const { return text_.data() + length_; }

  File file_;
  std::uint64_t size_;
  const SpecialTokens& specials_;
  const Scanner& scanner_;
  const PlanOptions& options_;
  std::string text_;  // bytes [begin_, begin_ + length_) of the file, and slack
  std::uint64_t begin_ = 0, length_ = 0;
};

std::uint64_t divide_up(std::uint64_t a, std::uint64_t b) {
  return a / b + (a % b != 0);
}

}  // namespace

std::uint64_t Range::bytes() const {
  std::uint64_t total = 0;
  for (const Segment& segment : segments) total += segment.end - segment.begin;
  return total;
}

std::string Range::describe(const Corpus& corpus) const {
  if (segments.empty()) return "an empty range";
  const Segment& first = segments.front();
  std::string text = corpus.inputs[first.input].path + ", bytes " + std::to_string(first.begin) + " to " +
                     std::to_string(first.end);
  if (segments.size() > 1) text += ", and " + std::to_string(segments.size() - 1) + " more files";
  return text;
}

std::vector<Range> make_plan(const Corpus& corpus, const SpecialTokens& specials, const Scanner& scanner,
                             const PlanOptions& options) {
  const std::uint64_t total = corpus.bytes();
  const std::uint64_t number = std::clamp<std::uint64_t>(
      divide_up(total, std::max<std::uint64_t>(options.range_size, 1)), 1, options.max_ranges);
  const std::uint64_t target = std::max<std::uint64_t>(divide_up(total, number), 1);

  std::vector<Range> plan(1);
  std::uint64_t room = target;
  for (std::uint64_t i = 0; i < corpus.inputs.size(); ++i) {
    const auto& [path, identity] = corpus.inputs[i];
    if (identity.size == 0) continue;
    std::uint64_t begin = 0;
    bool within_document = false;
    std::unique_ptr<Cutter> cutter;
    while (identity.size - begin > room) {
      if (!cutter) cutter = std::make_unique<Cutter>(path, identity.size, specials, scanner, options);
      const Cut cut = cutter->find(begin + room, begin);
      if (cut.place == identity.size) break;
      plan.back().segments.push_back({i, begin, cut.place, within_document, false});
      plan.emplace_back();
      room = target;
      begin = cut.place;
      within_document = !cut.ends_document;
    }
    plan.back().segments.push_back({i, begin, identity.size, within_document, true});
    if (identity.size - begin >= room) {
      plan.emplace_back();
      room = target;
    } else {
      room -= identity.size - begin;
    }
  }
  if (plan.back().segments.empty()) plan.pop_back();
  return plan;
}

}  // namespace tokmill
