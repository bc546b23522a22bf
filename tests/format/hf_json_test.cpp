#include "format/hf_json.h"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/test/unit_test.hpp>

#include "format/models.h"
#include "io/scratch.h"

using namespace tokmill;
using namespace tokmill::test;
namespace json = boost::json;

namespace {

TokenizerModel read(std::string_view text) {
  const ScratchDirectory scratch;
  put_file(scratch / "tokenizer.json", text);
  return read_hf_json(scratch / "tokenizer.json");
}

/// The error on reading the text, which begins with the file's path.
std::string error_on(std::string_view text) {
  const ScratchDirectory scratch;
  const std::string path = scratch / "tokenizer.json";
  put_file(path, text);
  const std::string error = error_of([&] { read_hf_json(path); });
  BOOST_TEST((error.empty() || error.starts_with(path + ": ")), error);
  return error;
}

TokenizerModel small_model() {
  TokenizerModel model;
  model.tokens = {"<|x|>", "a", "b", " ", "ab", " ab"};
  model.specials = {{"<|x|>", 0}};
  model.merges = {{1, 2, 4}, {3, 4, 5}};
  return model;
}

json::object small_json() {
  return json::parse(hf_json(small_model())).as_object();
}

/// `small_json` with one member replaced; `path` as "model/dropout".
std::string changed(const std::string& path, json::value value) {
  json::object root = small_json();
  json::object* object = &root;
  std::size_t begin = 0;
  for (std::size_t slash; (slash = path.find('/', begin)) != path.npos; begin = slash + 1) {
    object = &object->at(path.substr(begin, slash - begin)).as_object();
  }
  (*object)[path.substr(begin)] = std::move(value);
  return json::serialize(root);
}

const json::object kSplit = {
    {"type", "Split"}, {"pattern", {{"Regex", "\\s+"}}}, {"behavior", "Removed"}, {"invert", false}};
const json::object kBytesOnly = {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}};

/// `object` with a member replaced.
json::object with(json::object object, const char* name, json::value value) {
  object[name] = std::move(value);
  return object;
}

json::value sequence(json::array parts) {
  return json::object{{"type", "Sequence"}, {"pretokenizers", std::move(parts)}};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(hf_json_test)

BOOST_AUTO_TEST_CASE(says_what_hugging_face_reads) {
  const json::object root = small_json();
  const json::object& model = root.at("model").as_object();
  BOOST_TEST(root.at("version") == "1.0");
  BOOST_TEST(root.at("normalizer").is_null());
  BOOST_TEST(root.at("post_processor").is_null());
  BOOST_TEST(root.at("decoder").at("type") == "ByteLevel");
  BOOST_TEST((root.at("pre_tokenizer") == json::parse(R"({"type": "ByteLevel", "add_prefix_space": false,
      "trim_offsets": true, "use_regex": true})")));
  BOOST_TEST((root.at("added_tokens") == json::parse(R"([{"id": 0, "content": "<|x|>", "single_word": false,
      "lstrip": false, "rstrip": false, "normalized": false, "special": true}])")));
  BOOST_TEST(model.at("type") == "BPE");
  BOOST_TEST((model.at("vocab") == json::parse("{\"<|x|>\": 0, \"a\": 1, \"b\": 2, \"\u0120\": 3, \"ab\": 4, "
                                               "\"\u0120ab\": 5}")));
  BOOST_TEST((model.at("merges") == json::parse("[\"a b\", \"\u0120 ab\"]")));
  BOOST_TEST(model.at("ignore_merges") == false);
  BOOST_TEST(model.at("byte_fallback") == false);
}

BOOST_AUTO_TEST_CASE(each_pattern_has_its_pre_tokenizer) {
  TokenizerModel model = small_model();
  model.pattern = Pattern::kNone;
  BOOST_TEST((json::parse(hf_json(model)).at("pre_tokenizer") == with(kBytesOnly, "trim_offsets", true)));
  model.pattern = Pattern::kWhitespace;
  BOOST_TEST((json::parse(hf_json(model)).at("pre_tokenizer") ==
              sequence({kSplit, with(kBytesOnly, "trim_offsets", true)})));
}

BOOST_AUTO_TEST_CASE(what_is_written_is_read_back) {
  Random random(41);
  for (const Place place : {Place::kFirst, Place::kAfterBytes, Place::kLast}) {
    for (const Pattern pattern : {Pattern::kGpt2, Pattern::kWhitespace, Pattern::kNone}) {
      for (const std::size_t merges : {0u, 400u}) {
        TokenizerModel model = random_model(random, merges, hard_specials(), place);
        model.pattern = pattern;
        model.ignore_merges = random.below(2) == 0;
        const TokenizerModel back = read(hf_json(model));
        BOOST_TEST(back.tokens == model.tokens, boost::test_tools::per_element());
        BOOST_TEST(back.merges == model.merges, boost::test_tools::per_element());
        BOOST_TEST((back == model));
      }
    }
  }
  const TokenizerModel plain = random_model(random, 10, {}, Place::kFirst);
  BOOST_TEST((read(hf_json(plain)) == plain));
}

BOOST_AUTO_TEST_CASE(ids_may_have_gaps) {
  TokenizerModel model;
  model.tokens = {"", "a", "", "b", "ab", "", "<|x|>"};
  model.specials = {{"<|x|>", 6}};
  model.merges = {{1, 3, 4}};
  BOOST_TEST((read(hf_json(model)) == model));
}

BOOST_AUTO_TEST_CASE(merges_have_two_forms) {
  const std::string pairs = changed("model/merges", json::parse("[[\"a\", \"b\"], [\"\u0120\", \"ab\"]]"));
  BOOST_TEST((read(pairs) == small_model()));
  const std::string mixed = changed("model/merges", json::parse("[\"a b\", [\"\u0120\", \"ab\"]]"));
  BOOST_TEST((read(mixed) == small_model()));
}

BOOST_AUTO_TEST_CASE(added_tokens_need_not_stand_in_the_vocabulary) {
  TokenizerModel expected = small_model();
  expected.tokens.push_back("");
  expected.tokens.push_back("<|y|>");
  expected.specials.push_back({"<|y|>", 7});
  json::object root = small_json();
  root["added_tokens"].as_array().push_back({{"id", 7}, {"content", "<|y|>"}});
  BOOST_TEST((read(json::serialize(root)) == expected));
  expected.tokens.resize(6);
  expected.specials.clear();
  root.erase("added_tokens");
  BOOST_TEST((read(json::serialize(root)) == expected));
}

BOOST_AUTO_TEST_CASE(what_changes_no_id_is_let_pass) {
  for (const auto& [path, value] :
       std::vector<std::pair<std::string, json::value>>{{"truncation", {{"max_length", 5}}},
                                                        {"post_processor", {{"type", "ByteLevel"}}},
                                                        {"model/unk_token", ""},
                                                        {"model/end_of_word_suffix", ""},
                                                        {"model/fuse_unk", true},
                                                        {"version", "2.0"}}) {
    BOOST_TEST((read(changed(path, value)) == small_model()), path);
  }
  json::object root = small_json();
  for (const char* name : {"dropout", "unk_token", "byte_fallback", "ignore_merges", "type"}) {
    root["model"].as_object().erase(name);
  }
  root.erase("normalizer");
  BOOST_TEST((read(json::serialize(root)) == small_model()));
}

BOOST_AUTO_TEST_CASE(what_would_change_ids_is_refused_by_name) {
  for (const auto& [path, value, words] : std::vector<std::tuple<std::string, json::value, std::string>>{
           {"normalizer", {{"type", "NFC"}}, "\"normalizer\" is not supported"},
           {"model/type", "WordPiece", "model type 'WordPiece' is not supported"},
           {"model/dropout", 0.1, "\"dropout\" is not supported"},
           {"model/unk_token", "<unk>", "\"unk_token\" is not supported"},
           {"model/continuing_subword_prefix", "##", "\"continuing_subword_prefix\" is not supported"},
           {"model/end_of_word_suffix", "</w>", "\"end_of_word_suffix\" is not supported"},
           {"model/byte_fallback", true, "byte_fallback is not supported"},
           {"pre_tokenizer", {{"type", "Whitespace"}}, "this pre_tokenizer"},
           {"pre_tokenizer/add_prefix_space", true, "add_prefix_space is not supported"},
           {"pre_tokenizer", {{"type", "ByteLevel"}}, "add_prefix_space is not supported"},
           {"pre_tokenizer", nullptr, "is not a tokenizer.json of the kind tokmill reads"},
           {"pre_tokenizer", sequence({kSplit}), "this pre_tokenizer"},
           {"pre_tokenizer", sequence({kBytesOnly, kSplit}), "this pre_tokenizer"},
           {"pre_tokenizer", sequence({with(kSplit, "behavior", "Isolated"), kBytesOnly}),
            "this pre_tokenizer"},
           {"pre_tokenizer", sequence({with(kSplit, "invert", true), kBytesOnly}), "this pre_tokenizer"},
           {"pre_tokenizer", sequence({with(kSplit, "pattern", {{"Regex", " +"}}), kBytesOnly}),
            "this pre_tokenizer"},
           {"pre_tokenizer", sequence({kSplit, with(kBytesOnly, "use_regex", true)}), "this pre_tokenizer"},
           {"pre_tokenizer", sequence({kSplit, with(kBytesOnly, "add_prefix_space", true)}),
            "add_prefix_space is not supported"},
       }) {
    const std::string error = error_on(changed(path, value));
    BOOST_TEST(says(error, words), path << ": " << error);
  }
}

BOOST_AUTO_TEST_CASE(bad_added_tokens_are_refused_by_name) {
  const auto error = [](json::object token) {
    json::object root = small_json();
    root["added_tokens"].as_array().push_back(std::move(token));
    return error_on(json::serialize(root));
  };
  for (const char* name : {"single_word", "lstrip", "rstrip"}) {
    BOOST_TEST(says(error({{"id", 6}, {"content", "<|y|>"}, {name, true}}),
                    "added token '<|y|>' with " + std::string(name) + " is not supported"));
  }
  BOOST_TEST(says(error({{"id", 1}, {"content", "<|y|>"}}), "'<|y|>' has the id of another token"));
  BOOST_TEST(says(error({{"id", 9}, {"content", "ab"}}), "'ab' has the id of another token"));
  BOOST_TEST(says(error({{"id", 1'000'000'000}, {"content", "<|y|>"}}), "'<|y|>': id too large"));
  BOOST_TEST(says(error({{"content", "<|y|>"}}), "is not a tokenizer.json of the kind"));
  BOOST_TEST(says(error({{"id", -1}, {"content", "<|y|>"}}), "is not a tokenizer.json of the kind"));
}

BOOST_AUTO_TEST_CASE(bad_vocabularies_and_merges_are_named) {
  for (const auto& [path, text, words] : std::vector<std::tuple<std::string, std::string, std::string>>{
           {"model/merges", R"(["a b", "ab"])", "merge 1: not two tokens and a space"},
           {"model/merges", R"(["a b", "a c"])", "merge 1: the token 'c' is not in the vocabulary"},
           {"model/merges", R"([["b", "a"]])", "merge 0: the token 'ba' is not in the vocabulary"},
           {"model/merges", R"([["b"]])", "merge 0: not two tokens"},
           {"model/merges", R"([["a", "b", "a"]])", "merge 0: not two tokens"},
           {"model/merges", R"([7])", "is not a tokenizer.json of the kind"},
           {"model/merges", "null", "is not a tokenizer.json of the kind"},
           {"model/vocab", R"({"a": 0, "b": 0})", "token id 0 is empty or given twice"},
           {"model/vocab", R"({"a": 99999999999})", "token id 99999999999 is too large"},
           {"model/vocab", R"(["a"])", "is not a tokenizer.json of the kind"},
           {"model/vocab", R"({"a": "0"})", "is not a tokenizer.json of the kind"},
           {"model", "7", "is not a tokenizer.json of the kind"},
       }) {
    const std::string error = error_on(changed(path, json::parse(text)));
    BOOST_TEST(says(error, words), path << " " << text << ": " << error);
  }
}

BOOST_AUTO_TEST_CASE(other_files_are_refused) {
  for (const char* text : {"", "{}", "[]", "7", "not json", "{\"model\": {}}"}) {
    BOOST_TEST(says(error_on(text), "is not a tokenizer.json of the kind"), text);
  }
  BOOST_CHECK_THROW(read_hf_json("/no/such/tokenizer.json"), Error);
}

// Slow enough that the model is small; a JSON text cut short is never a whole one.
BOOST_AUTO_TEST_CASE(a_file_cut_anywhere_is_an_error) {
  const ScratchDirectory scratch;
  const std::string path = scratch / "tokenizer.json", text = hf_json(small_model());
  put_file(path, text.substr(0, text.size() - 1));  // without its last line's end it is still whole
  BOOST_CHECK_NO_THROW(read_hf_json(path));
  for_each_cut(path, [&](std::size_t size) {
    BOOST_TEST(error_of([&] { read_hf_json(path); }) != "", size << " bytes");
  });
}

BOOST_AUTO_TEST_SUITE_END()
