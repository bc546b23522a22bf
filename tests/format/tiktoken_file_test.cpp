#include "format/tiktoken_file.h"

#include <boost/test/unit_test.hpp>
#include <sstream>

#include "format/models.h"

using namespace tokmill;
using namespace tokmill::test;

namespace {

/// A decoder that works bit by bit.
std::string decode_base64(const std::string& text) {
  std::string bits;
  std::size_t padding = 0;
  for (const char c : text) {
    int digit = 0;
    if (c >= 'A' && c <= 'Z')
      digit = c - 'A';
    else if (c >= 'a' && c <= 'z')
      digit = c - 'a' + 26;
    else if (c >= '0' && c <= '9')
      digit = c - '0' + 52;
    else if (c == '+')
      digit = 62;
    else if (c == '/')
      digit = 63;
    else if (c == '=')
      ++padding;
    else
      throw std::runtime_error("no base64 digit");
    if (c != '=' && padding > 0) throw std::runtime_error("a digit after the padding");
    for (int bit = 5; bit >= 0; --bit) bits.push_back(static_cast<char>('0' + (digit >> bit & 1)));
  }
  if (text.size() % 4 != 0 || padding > 2) throw std::runtime_error("bad padding");
  const std::size_t size = bits.size() / 8 - padding;
  if (bits.find('1', size * 8) != bits.npos) throw std::runtime_error("bits after the end");
  std::string out;
  for (std::size_t i = 0; i < size; ++i) {
    out.push_back(static_cast<char>(std::stoi(bits.substr(i * 8, 8), nullptr, 2)));
  }
  return out;
}

/// The lines of a file: bytes and rank.
std::vector<std::pair<std::string, std::size_t>> parse(const std::string& text) {
  std::vector<std::pair<std::string, std::size_t>> out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t space = line.find(' ');
    out.emplace_back(decode_base64(line.substr(0, space)), std::stoul(line.substr(space + 1)));
  }
  return out;
}

TokenizerModel model_of(std::vector<std::string> tokens) {
  TokenizerModel model;
  model.tokens = std::move(tokens);
  return model;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(tiktoken_file_test)

BOOST_AUTO_TEST_CASE(is_base64_and_rank_on_a_line) {
  // The first three are those of RFC 4648.
  BOOST_TEST(tiktoken_text(model_of({"f", "fo", "foo", "!", "\xFF\xFE"})) ==
             "Zg== 0\nZm8= 1\nZm9v 2\nIQ== 3\n//4= 4\n");
}

BOOST_AUTO_TEST_CASE(tokens_of_every_length_can_be_decoded) {
  Random random(50);
  for (std::size_t length = 1; length <= 10; ++length) {
    for (int i = 0; i < 50; ++i) {
      const std::string token = random.bytes(length);
      const auto lines = parse(tiktoken_text(model_of({token})));
      BOOST_REQUIRE(lines.size() == 1);
      BOOST_TEST((lines[0].first == token));
    }
  }
}

BOOST_AUTO_TEST_CASE(ranks_are_ids_and_special_tokens_are_left_out) {
  Random random(51);
  for (const Place place : {Place::kFirst, Place::kAfterBytes, Place::kLast}) {
    TokenizerModel model = random_model(random, 100, hard_specials(), place);
    model.tokens.insert(model.tokens.end(), {"", "after a gap"});
    std::vector<std::pair<std::string, std::size_t>> expected;
    for (std::size_t id = 0; id < model.tokens.size(); ++id) {
      const bool special =
          std::ranges::find(model.specials, id, &TokenizerModel::Special::id) != model.specials.end();
      if (!special && !model.tokens[id].empty()) expected.emplace_back(model.tokens[id], id);
    }
    BOOST_TEST((parse(tiktoken_text(model)) == expected));
  }
}

BOOST_AUTO_TEST_CASE(without_tokens_it_is_empty) {
  TokenizerModel model = model_of({"<|x|>"});
  model.specials = {{"<|x|>", 0}};
  BOOST_TEST(tiktoken_text(model) == "");
}

BOOST_AUTO_TEST_SUITE_END()
