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

  /// A stretch of text begins here: at the beginning of a document, or within one.
  void start(bool within_document) { open_ = within_document; }
  /// Text or a special token other than the separator. Also said, once more, of the rest of a stretch after
  /// its last separator: the pattern may leave nothing of it, and yet it is a document.
  Step text() {
    const bool begins = !open_;
    open_ = true;
    return {begins && rule_ == SeparatorRule::kPrepend, true, false, false};
  }
  /// The separator, as it stands in the text.
  Step separator() {
    const bool begins = !open_;
    open_ = false;
    return {begins && rule_ == SeparatorRule::kPrepend, rule_ != SeparatorRule::kPrepend, false, true};
  }
  /// The end of a file.
  Step end_of_file() {
    const bool ends = open_;
    open_ = false;
    return {false, false, ends && rule_ == SeparatorRule::kAppend, ends};
  }

 private:
  SeparatorRule rule_;
  bool open_ = false;
};

}  // namespace tokmill
