#include "format/json_text.h"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/test/unit_test.hpp>
#include <limits>

#include "io/checksum.h"
#include "io/scratch.h"
#include "support.h"

using namespace tokmill;
using namespace tokmill::test;
namespace json = boost::json;

namespace {

std::string random_string(Random& random) {
  static const std::vector<std::string> pieces = {"a",      "word", " ",      "\"",     "\\",
                                                  "\n",     "\t",   "\x01",   "\x7F",   std::string(1, '\0'),
                                                  "\u00E9", "/",    "\u20AC", "{[,:]}", "\U0001F600"};
  return random.join(pieces, random.below(8));
}

json::value random_value(Random& random, int depth) {
  switch (random.below(depth > 0 ? 9 : 7)) {
    case 0:
      return nullptr;
    case 1:
      return random.below(2) == 0;
    case 2:
      return static_cast<std::int64_t>(random.below(1000)) - 500;
    case 3:
      return std::numeric_limits<std::uint64_t>::max() - random.below(3);
    case 4:
      return static_cast<double>(random.below(10'000)) / 16 + 0.5;
    case 5:
    case 6:
      return json::string(random_string(random));
    case 7: {
      json::array array;
      for (std::size_t i = random.below(6); i > 0; --i) array.push_back(random_value(random, depth - 1));
      return array;
    }
    default: {
      json::object object;
      for (std::size_t i = random.below(6); i > 0; --i) {
        object[random_string(random)] = random_value(random, depth - 1);
      }
      return object;
    }
  }
}

const json::object kSome = {{"name", "a \"b\"\n"}, {"list", {1, 2, 3}}, {"inner", {{"x", nullptr}}}};

}  // namespace

BOOST_AUTO_TEST_SUITE(json_text_test)

BOOST_AUTO_TEST_CASE(is_laid_out_for_people) {
  const json::value value = {{"number", 1},
                             {"text", "a \"b\""},
                             {"short", {1, "two", nullptr}},
                             {"deep", {{1, 2}, json::object{{"x", true}}}},
                             {"none", json::array()},
                             {"empty", json::object()}};
  BOOST_TEST(to_text(value) == R"({
  "number": 1,
  "text": "a \"b\"",
  "short": [1,"two",null],
  "deep": [
    [1,2],
    {
      "x": true
    }
  ],
  "none": [],
  "empty": {}
}
)");
  BOOST_TEST(to_text(7) == "7\n");
}

BOOST_AUTO_TEST_CASE(long_arrays_get_a_line_for_each_value) {
  const json::array fits(33, json::value(10));  // 100 characters: 33 * 3 + 1
  BOOST_TEST(to_text(fits) == json::serialize(fits) + "\n");
  const json::array longer(34, json::value(10));
  const std::string text = to_text(longer);
  BOOST_TEST(std::count(text.begin(), text.end(), '\n') == 36);
  BOOST_TEST((json::parse(text) == longer));
}

BOOST_AUTO_TEST_CASE(what_is_written_parses_back) {
  Random random(31);
  for (int i = 0; i < 500; ++i) {
    const json::value value = random_value(random, 4);
    BOOST_TEST((json::parse(to_text(value)) == value), to_text(value));
  }
}

BOOST_AUTO_TEST_CASE(quotes_are_json_strings) {
  BOOST_TEST(quote("") == "\"\"");
  BOOST_TEST(quote("a \"b\" \\") == R"("a \"b\" \\")");
  BOOST_TEST(quote("\u00E9\u20AC") == "\"\u00E9\u20AC\"");
  Random random(32);
  for (int i = 0; i < 200; ++i) {
    const std::string text = random_string(random);
    BOOST_TEST((json::parse(quote(text)).as_string() == text));
  }
}

BOOST_AUTO_TEST_CASE(bytes_that_are_no_utf8_are_quoted_as_replacement_characters) {
  const auto quoted = [](std::string_view text) { return std::string(json::parse(quote(text)).as_string()); };
  BOOST_TEST(quoted("a\xFF z") == "a\uFFFD z");
  BOOST_TEST(quoted("\xE2\x82") == "\uFFFD");  // cut off: one character
  BOOST_TEST(quoted("\xE2\x82x") == "\uFFFDx");
  BOOST_TEST(quoted("\xC0\x80") == "\uFFFD\uFFFD");            // overlong
  BOOST_TEST(quoted("\xED\xA0\x80") == "\uFFFD\uFFFD\uFFFD");  // a surrogate
  Random random(33);
  for (int i = 0; i < 200; ++i) BOOST_CHECK_NO_THROW(json::parse(quote(random.bytes(random.below(20)))));
}

BOOST_AUTO_TEST_CASE(a_sealed_object_is_json_and_opens) {
  Random random(34);
  for (int i = 0; i < 200; ++i) {
    json::object object = {{"first", i}};
    for (std::size_t k = random.below(5); k > 0; --k) {
      object["k" + random_string(random)] = random_value(random, 3);
    }
    const std::string text = to_sealed_text(object);
    BOOST_TEST((open_sealed(text, "x") == object));
    json::value plain = json::parse(text);
    BOOST_TEST(plain.as_object().erase("seal") == 1);
    BOOST_TEST((plain == object));
  }
}

BOOST_AUTO_TEST_CASE(the_seal_is_the_checksum_of_the_text_before_it) {
  const std::string body = "{\n  \"a\": 1";
  BOOST_TEST(to_sealed_text({{"a", 1}}) ==
             body + ",\n  \"seal\": \"" + spell_checksum(Checksum::of(body)) + "\"\n}\n");
}

BOOST_AUTO_TEST_CASE(every_flipped_bit_breaks_the_seal) {
  std::string text = to_sealed_text(kSome);
  BOOST_TEST((open_sealed(text, "x") == kSome));
  for (char& byte : text) {
    for (int bit = 0; bit < 8; ++bit) {
      byte = static_cast<char>(byte ^ 1 << bit);
      BOOST_TEST(says(error_of([&] { open_sealed(text, "the path"); }), "the path: damaged: "));
      byte = static_cast<char>(byte ^ 1 << bit);
    }
  }
}

BOOST_AUTO_TEST_CASE(what_is_cut_added_or_moved_breaks_the_seal) {
  const std::string text = to_sealed_text(kSome);
  for (std::size_t size = 0; size < text.size(); ++size) {
    BOOST_CHECK_THROW(open_sealed(std::string_view(text).substr(0, size), "x"), Error);
  }
  for (const std::string& changed :
       {text + "\n", " " + text, text + text, to_text(kSome), std::string("{}")}) {
    BOOST_CHECK_THROW(open_sealed(changed, "x"), Error);
  }
}

BOOST_AUTO_TEST_CASE(what_is_no_object_is_an_error_that_names_the_file) {
  BOOST_TEST(parse_object("{\"a\": [1]}", "x").at("a").as_array().size() == 1);
  BOOST_TEST(says(error_of([] { parse_object("[1]", "a path"); }), "a path: is not a JSON object"));
  for (const char* text : {"", "{", "{\"a\": 1,}", "{} x", "{\"a\": \"\xFF\"}", "nothing"}) {
    BOOST_TEST(says(error_of([&] { parse_object(text, "a path"); }), "a path: is not valid JSON: "), text);
  }
}

BOOST_AUTO_TEST_SUITE_END()
