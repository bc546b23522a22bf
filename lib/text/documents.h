// Documents and what stands between them.
#pragma once

#include <string>
#include <string_view>

namespace tokmill {

/// Where encoded documents get the separator.
enum class SeparatorRule {
  kAppend,   // every document ends with it: added where it does not, never doubled
  kPrepend,  // every document begins with it instead
  kNone,     // nothing is added or taken away
};

/// "append", "prepend", "none".
std::string_view separator_rule_name(SeparatorRule rule);
/// Throws UsageError for another name.
SeparatorRule separator_rule_from_name(std::string_view name);

/// Follows a text in order, and says what to write for it under a separator rule. A document ends at each
/// separator in the text and at the end of a file; an empty rest of a file is no document.
class DocumentTracker {
 public:
  /// What to write for something in the text.
  struct Step {
    bool separator_before = false;
    bool itself = true;
    bool separator_after = false;
    bool ends_document = false;
  };

  explicit DocumentTracker(SeparatorRule rule) : rule_(rule) {}

  /// A stretch of text begins at `text`: at the beginning of a document, or within one.
  void start(bool within_document, const char* text) {
    open_ = within_document;
    rest_ = text;
  }
  /// Text or a special token other than the separator.
  Step text() {
    const bool begins = !open_;
    open_ = true;
    return {begins && rule_ == SeparatorRule::kPrepend, true, false, false};
  }
  /// The separator, as it stands in the text up to `end`.
  Step separator(const char* end) {
    const bool begins = !open_;
    open_ = false;
    rest_ = end;
    return {begins && rule_ == SeparatorRule::kPrepend, rule_ != SeparatorRule::kPrepend, false, true};
  }
  /// The end of the stretch. What it has after its last separator is text, even if the pattern leaves nothing
  /// of it.
  Step end_of_text(const char* end) { return rest_ == end ? Step{false, false, false, false} : text(); }
  /// The end of a file, after that of its last stretch.
  Step end_of_file() {
    const bool ends = open_;
    open_ = false;
    return {false, false, ends && rule_ == SeparatorRule::kAppend, ends};
  }

 private:
  SeparatorRule rule_;
  bool open_ = false;
  const char* rest_ = nullptr;  // what follows the last separator
};

}  // namespace tokmill
