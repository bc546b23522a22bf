#include "text/documents.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <iterator>
#include <string_view>
#include <vector>

#include "io/error.h"
#include "support.h"

using namespace tokmill;
using tokmill::test::Random;

namespace {

const std::vector<SeparatorRule> kRules = {SeparatorRule::kAppend, SeparatorRule::kPrepend,
                                           SeparatorRule::kNone};

/// Follows stretches of text, in which '|' is the separator, '$' the end of a file and any other letter text,
/// but for '_', of which the pattern leaves nothing. Appends what is written, with the separator as '|', and
/// '.' where a document ends if `mark_ends`.
std::string follow(DocumentTracker& tracker, std::string_view text, bool within = false,
                   bool mark_ends = false) {
  std::string out;
  tracker.start(within, text.data());
  const auto write = [&](const DocumentTracker::Step& step, std::string_view itself) {
    if (step.separator_before) out += '|';
    if (step.itself) out += itself;
    if (step.separator_after) out += '|';
    if (step.ends_document && mark_ends) out += '.';
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char* const end = text.data() + i + 1;
    if (text[i] == '|') {
      write(tracker.separator(end), "|");
    } else if (text[i] == '$') {
      write(tracker.end_of_text(end - 1), {});
      write(tracker.end_of_file(), {});
      tracker.start(false, end);
    } else if (text[i] != '_') {
      write(tracker.text(), text.substr(i, 1));
    }
  }
  write(tracker.end_of_text(text.data() + text.size()), {});
  return out;
}

std::string follow(SeparatorRule rule, const std::string& text, bool within = false, bool mark_ends = true) {
  DocumentTracker tracker(rule);
  return follow(tracker, text, within, mark_ends);
}

/// The rule by its words: cut each file into documents first, then write each document.
std::string slow_follow(SeparatorRule rule, const std::string& text) {
  std::string out;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t file_end = text.find('$', begin);
    while (begin < file_end) {
      const std::size_t separator = std::min(text.find('|', begin), file_end);
      const std::string document = text.substr(begin, separator - begin);
      const bool had_separator = separator < file_end;
      if (rule == SeparatorRule::kPrepend) out += "|";
      std::ranges::copy_if(document, std::back_inserter(out), [](char c) { return c != '_'; });
      if (rule == SeparatorRule::kAppend || (rule == SeparatorRule::kNone && had_separator)) out += "|";
      out += '.';
      begin = separator + had_separator;
    }
    begin = file_end + 1;
  }
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(documents_test)

BOOST_AUTO_TEST_CASE(the_rules_case_by_case) {
  struct Case {
    const char *text, *append, *prepend, *none;
  };
  for (const Case& c : std::vector<Case>{
           {"$", "", "", ""},                      // an empty file has no document
           {"a$", "a|.", "|a.", "a."},             // one without a separator
           {"a|$", "a|.", "|a.", "a|."},           // never doubled
           {"a|b$", "a|.b|.", "|a.|b.", "a|.b."},  // the last gets one as well
           {"a|b|$", "a|.b|.", "|a.|b.", "a|.b|."},
           {"|$", "|.", "|.", "|."},  // a document may be empty
           {"||$", "|.|.", "|.|.", "|.|."},
           {"|a$", "|.a|.", "|.|a.", "|.a."},
           {"a||b$", "a|.|.b|.", "|a.|.|b.", "a|.|.b."},
           {"abc$", "abc|.", "|abc.", "abc."},    // a document may come in many steps
           {"a$b$", "a|.b|.", "|a.|b.", "a.b."},  // files do not run together
           {"a|$$b$", "a|.b|.", "|a.|b.", "a|.b."},
           {"_$", "|.", "|.", "."},  // nothing is left of it, and yet it is a document
           {"a|_$", "a|.|.", "|a.|.", "a|.."},
           {"_|a_$", "|.a|.", "|.|a.", "|.a."},
       }) {
    BOOST_TEST(follow(SeparatorRule::kAppend, c.text) == c.append, c.text);
    BOOST_TEST(follow(SeparatorRule::kPrepend, c.text) == c.prepend, c.text);
    BOOST_TEST(follow(SeparatorRule::kNone, c.text) == c.none, c.text);
  }
}

BOOST_AUTO_TEST_CASE(a_stretch_may_begin_within_a_document) {
  struct Case {
    const char *text, *append, *prepend, *none;
  };
  for (const Case& c : std::vector<Case>{
           {"a$", "a|.", "a.", "a."},
           {"a|b$", "a|.b|.", "a.|b.", "a|.b."},
           {"|b$", "|.b|.", ".|b.", "|.b."},
           {"$", "|.", ".", "."},  // the file ends where the stretch begins
       }) {
    BOOST_TEST(follow(SeparatorRule::kAppend, c.text, true) == c.append, c.text);
    BOOST_TEST(follow(SeparatorRule::kPrepend, c.text, true) == c.prepend, c.text);
    BOOST_TEST(follow(SeparatorRule::kNone, c.text, true) == c.none, c.text);
  }
}

BOOST_AUTO_TEST_CASE(any_text_is_written_as_the_rule_says) {
  Random random(90);
  for (int i = 0; i < 2000; ++i) {
    const std::string text = random.join({"a", "b", "_", "|", "|", "$"}, random.below(20)) + "$";
    for (const SeparatorRule rule : kRules) {
      BOOST_TEST(follow(rule, text) == slow_follow(rule, text), separator_rule_name(rule) << ": " << text);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_text_cut_into_stretches_is_written_as_a_whole_one) {
  Random random(91);
  for (int i = 0; i < 500; ++i) {
    const std::string text = random.join({"a", "b", "_", "|", "$"}, random.below(12)) + "$";
    for (const SeparatorRule rule : kRules) {
      for (std::size_t cut = 0; cut <= text.size(); ++cut) {
        const std::string first = text.substr(0, cut), second = text.substr(cut);
        const bool within = !first.empty() && first.back() != '|' && first.back() != '$';
        BOOST_TEST(follow(rule, first) + follow(rule, second, within) == follow(rule, text));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_tracker_may_be_started_again) {
  DocumentTracker tracker(SeparatorRule::kAppend);
  BOOST_TEST(follow(tracker, "a") == "a");
  BOOST_TEST(follow(tracker, "$") == "");  // the next stretch, elsewhere: "a" is left open
}

BOOST_AUTO_TEST_CASE(rules_have_names) {
  for (const SeparatorRule rule : kRules) {
    BOOST_TEST((separator_rule_from_name(separator_rule_name(rule)) == rule));
  }
  BOOST_TEST(separator_rule_name(SeparatorRule::kAppend) == "append");
  BOOST_TEST(separator_rule_name(SeparatorRule::kPrepend) == "prepend");
  BOOST_TEST(separator_rule_name(SeparatorRule::kNone) == "none");
  for (const char* name : {"", "Append", "both"}) {
    BOOST_CHECK_THROW(separator_rule_from_name(name), UsageError);
  }
}

BOOST_AUTO_TEST_SUITE_END()
