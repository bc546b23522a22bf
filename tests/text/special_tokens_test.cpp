#include "text/special_tokens.h"

#include <boost/test/unit_test.hpp>
#include <set>

#include "io/error.h"
#include "support.h"

using namespace tokmill;
using test::Random;

namespace {

struct Found {
  std::size_t begin;
  std::size_t end;
  std::uint32_t index;
  bool operator==(const Found&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Found& found) {
  return out << '[' << found.begin << ", " << found.end << ") " << found.index;
}

const std::string kEnd = "<|endoftext|>";

std::vector<Found> find_all(const SpecialTokens& specials, std::string_view text, std::size_t from = 0) {
  std::vector<Found> out;
  const char* at = text.data() + from;
  const char* const end = text.data() + text.size();
  while (const SpecialTokens::Match match = specials.find(at, end, end)) {
    out.push_back({static_cast<std::size_t>(match.begin - text.data()),
                   static_cast<std::size_t>(match.end - text.data()), match.index});
    at = match.end;
  }
  return out;
}

std::vector<Found> slow_find_all(const std::vector<std::string>& tokens, std::string_view text) {
  std::vector<Found> out;
  for (std::size_t at = 0; at < text.size();) {
    Found best{at, at, 0};
    for (std::uint32_t i = 0; i < tokens.size(); ++i) {
      if (text.substr(at).starts_with(tokens[i]) && tokens[i].size() > best.end - best.begin) {
        best = {at, at + tokens[i].size(), i};
      }
    }
    if (best.end != at) out.push_back(best);
    at = std::max(at + 1, best.end);
  }
  return out;
}

std::size_t slow_synchronise(const std::vector<std::string>& tokens, std::string_view text, std::size_t p) {
  const auto straddled = [&](std::size_t q) {
    for (std::size_t begin = 0; begin < q; ++begin) {
      for (const std::string& token : tokens) {
        if (text.substr(begin).starts_with(token) && begin + token.size() > q) return true;
      }
    }
    return false;
  };
  while (straddled(p)) --p;
  return p;
}

std::size_t synchronise(const SpecialTokens& specials, std::string_view text, std::size_t p) {
  const char* const begin = text.data();
  return static_cast<std::size_t>(specials.synchronise(begin, begin + p, begin + text.size()) - begin);
}

std::vector<std::string> random_tokens(Random& random, const std::vector<std::string>& alphabet) {
  std::set<std::string> tokens;
  const std::size_t count = random.between(1, 4);
  while (tokens.size() < count) tokens.insert(random.join(alphabet, random.between(1, 5)));
  return {tokens.begin(), tokens.end()};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(special_tokens_test)

BOOST_AUTO_TEST_CASE(none_are_never_found) {
  const SpecialTokens none;
  BOOST_TEST(none.empty());
  BOOST_TEST(none.longest() == 0);
  BOOST_TEST(!none.find("some text"));
  BOOST_TEST(synchronise(none, "some text", 4) == 4);
}

BOOST_AUTO_TEST_CASE(empty_and_repeated_tokens_are_refused) {
  BOOST_CHECK_THROW(SpecialTokens({""}), UsageError);
  BOOST_CHECK_THROW(SpecialTokens({"a", "b", "a"}), UsageError);
}

BOOST_AUTO_TEST_CASE(keeps_the_order_given) {
  const SpecialTokens specials({"<|b|>", "<|long one|>", "<|a|>"});
  BOOST_TEST(specials.tokens()[1] == "<|long one|>");
  BOOST_TEST(specials.index_of("<|a|>") == 2);
  BOOST_TEST(specials.index_of("<|c|>") == -1);
  BOOST_TEST(specials.longest() == 12);
}

BOOST_AUTO_TEST_CASE(the_longest_wins_where_several_match) {
  const SpecialTokens specials({kEnd, kEnd + kEnd});
  const std::vector<Found> three = {{1, 27, 1}, {27, 40, 0}};
  BOOST_TEST(find_all(specials, "x" + kEnd + kEnd + kEnd) == three, boost::test_tools::per_element());
  const std::vector<Found> four = {{0, 26, 1}, {26, 52, 1}};
  BOOST_TEST(find_all(specials, kEnd + kEnd + kEnd + kEnd) == four, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_leftmost_wins_over_a_longer_one_after_it) {
  const SpecialTokens specials({"ab", "bcd"});
  const std::vector<Found> expected = {{0, 2, 0}};
  BOOST_TEST(find_all(specials, "abcd") == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(at_the_ends_doubled_and_alone) {
  const SpecialTokens specials({kEnd});
  const std::vector<Found> expected = {{0, 13, 0}, {14, 27, 0}, {27, 40, 0}};
  BOOST_TEST(find_all(specials, kEnd + "x" + kEnd + kEnd) == expected, boost::test_tools::per_element());
  BOOST_TEST(find_all(specials, kEnd).size() == 1);
  BOOST_TEST(find_all(specials, kEnd.substr(0, 12)).empty());
  BOOST_TEST(find_all(specials, "").empty());
}

BOOST_AUTO_TEST_CASE(may_contain_white_space_and_any_byte) {
  const SpecialTokens specials({" \n ", std::string("\0\xFF", 2)});
  const std::vector<Found> expected = {{1, 4, 0}, {5, 7, 1}};
  BOOST_TEST(find_all(specials, std::string("a \n b\0\xFFz", 8)) == expected,
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_match_begins_before_last_start_and_may_end_after_it) {
  const SpecialTokens specials({"abc"});
  const std::string text = "xxabc";
  const char* const begin = text.data();
  BOOST_TEST(!specials.find(begin, begin + 2, begin + 5));
  BOOST_TEST(static_cast<bool>(specials.find(begin, begin + 3, begin + 5)));
  BOOST_TEST(!specials.find(begin, begin + 3, begin + 4));
  BOOST_TEST(!specials.find(begin + 3, begin + 5, begin + 5));
}

BOOST_AUTO_TEST_CASE(synchronise_steps_out_of_overlapping_occurrences) {
  const SpecialTokens specials({"ab", "bc"});
  BOOST_TEST(synchronise(specials, "abc", 2) == 0);
  BOOST_TEST(synchronise(specials, "xbc", 2) == 1);
  BOOST_TEST(synchronise(specials, "abc", 3) == 3);
  BOOST_TEST(synchronise(SpecialTokens({"aa"}), "xaaaaax", 5) == 1);
  BOOST_TEST(synchronise(SpecialTokens({"aa"}), "xaaaaax", 6) == 6);
}

BOOST_AUTO_TEST_CASE(agrees_with_slow_searches_on_random_texts_of_tiny_alphabets) {
  Random random(1);
  const std::vector<std::vector<std::string>> alphabets = {
      {"a"}, {"a", "b"}, {"<", "|", ">"}, {"a", " ", "b", "c"}};
  for (int i = 0; i < 10'000; ++i) {
    const std::vector<std::string>& alphabet = random.pick(alphabets);
    const std::vector<std::string> tokens = random_tokens(random, alphabet);
    const SpecialTokens specials(tokens);
    const std::string text = random.join(alphabet, random.below(24));
    const std::vector<Found> all = slow_find_all(tokens, text);
    BOOST_REQUIRE_MESSAGE(find_all(specials, text) == all, text);
    for (std::size_t p = 0; p <= text.size(); ++p) {
      const std::size_t q = synchronise(specials, text, p);
      BOOST_REQUIRE_MESSAGE(q == slow_synchronise(tokens, text, p), text << " at " << p);
      std::vector<Found> before = find_all(specials, std::string_view(text).substr(0, q));
      const std::vector<Found> after = find_all(specials, text, q);
      before.insert(before.end(), after.begin(), after.end());
      BOOST_REQUIRE_MESSAGE(before == all, text << " cut at " << q);
    }
  }
}

// Texts longer than what is looked at together, in which beginnings of tokens are rare.
BOOST_AUTO_TEST_CASE(agrees_with_the_slow_search_on_longer_texts) {
  Random random(2);
  for (int i = 0; i < 2'000; ++i) {
    std::vector<std::string> alphabet = {"<", "|", ">", "e"};
    if (random.below(2) == 0) alphabet = {"a", "b", "c", "d", "\xFF", std::string(1, '\0')};
    std::set<std::string> chosen;
    const std::size_t count = random.between(1, 7), least = random.between(1, 2);
    while (chosen.size() < count) chosen.insert(random.join(alphabet, random.between(least, 5)));
    const std::vector<std::string> tokens(chosen.begin(), chosen.end());
    std::string text;
    for (std::size_t part = random.below(8); part-- > 0;) {
      text += std::string(random.below(150), random.pick<char>({'.', '<', 'a'}));
      text += random.below(2) == 0 ? random.pick(tokens) : random.join(alphabet, random.between(1, 4));
    }
    const SpecialTokens specials(tokens);
    const std::vector<Found> all = slow_find_all(tokens, text);
    BOOST_REQUIRE_MESSAGE(find_all(specials, text) == all, text);
    if (all.empty()) continue;
    const char* const last_start = text.data() + all.front().begin;
    BOOST_REQUIRE(!specials.find(text.data(), last_start, text.data() + text.size()));
    BOOST_REQUIRE(specials.find(text.data(), last_start + 1, text.data() + text.size()));
  }
}

BOOST_AUTO_TEST_SUITE_END()
