#include "pipeline/decode.h"

#include <boost/test/unit_test.hpp>

#include "io/error.h"
#include "pipeline/shards.h"
#include "text/utf8.h"

using namespace tokmill;
using test::CorpusDirectory;
using test::error_of;
using test::kEnd;
using test::Random;
using test::says;
using test::small_model;
using test::tells;
using test::with_jobs;

namespace {

// Frames of a few ids, so that characters are cut between them.
EncodeOptions options_of(SeparatorRule rule, bool compressed = true) {
  EncodeOptions options;
  options.rule = rule;
  options.shard_size = 300;
  options.frame_size = 16;
  options.compressed = compressed;
  return options;
}

std::string decoded(const std::string& path, DecodeErrors errors, const TokenizerModel* model = nullptr) {
  std::string out;
  decode_shards(path, model, errors, [&](std::string_view text) { out += text; });
  return out;
}

std::string decoded_file(const std::string& path, std::uint32_t id_bytes, const TokenizerModel& model) {
  std::string out;
  decode_file(path, id_bytes, model, DecodeErrors::kBytes, [&](std::string_view text) { out += text; });
  return out;
}

std::string replaced(const std::string& bytes) {
  Utf8Replacer replacer;
  std::string out;
  replacer.append(bytes, out);
  replacer.finish(out);
  return out;
}

std::string joined(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += text;
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(decode_test)

BOOST_AUTO_TEST_CASE(gives_the_text_back) {
  Random random(1);
  const CorpusDirectory directory;
  for (int i = 0; i < 10; ++i) {
    const std::vector<std::string> texts = test::random_files(random);
    const std::string output = directory / std::to_string(i);
    run_encode(directory.corpus(texts), small_model(), options_of(SeparatorRule::kNone, i % 2 == 0),
               with_jobs(1), output);
    BOOST_TEST((decoded(output, DecodeErrors::kBytes) == joined(texts)));
    BOOST_TEST((decoded(output, DecodeErrors::kReplace) == replaced(joined(texts))));
  }
}

BOOST_AUTO_TEST_CASE(separators_that_were_added_are_there) {
  const CorpusDirectory directory;
  const Corpus corpus = directory.corpus({"the low" + kEnd + "er", "newest" + kEnd});
  run_encode(corpus, small_model(), options_of(SeparatorRule::kAppend), with_jobs(1), directory / "append");
  BOOST_TEST(decoded(directory / "append", DecodeErrors::kStrict) ==
             "the low" + kEnd + "er" + kEnd + "newest" + kEnd);
  run_encode(corpus, small_model(), options_of(SeparatorRule::kPrepend), with_jobs(1), directory / "prepend");
  BOOST_TEST(decoded(directory / "prepend", DecodeErrors::kStrict) ==
             kEnd + "the low" + kEnd + "er" + kEnd + "newest");
}

BOOST_AUTO_TEST_CASE(strict_names_the_first_byte_that_is_not_utf8) {
  Random random(2);
  const CorpusDirectory directory;
  const std::string valid = random.join({"a", "\u00E9", "\u4E00", "\U0001F600", " "}, 300);
  const auto decode = [&](const std::string& text) {
    std::filesystem::remove_all(directory / "out");
    run_encode(directory.corpus({text}), small_model(), options_of(SeparatorRule::kNone), with_jobs(1),
               directory / "out");
    return decoded(directory / "out", DecodeErrors::kStrict);
  };
  BOOST_TEST((decode(valid) == valid));
  for (const std::string bad : {"\x80", "\xC0\x80", "\xED\xA0\x80", "\xFF", "\xE4\xB8", "\xF0\x9F\x98"}) {
    for (const std::string& after : {std::string(), std::string("x"), valid}) {
      BOOST_TEST(
          says(error_of([&] { decode(valid + bad + after); }), "byte " + std::to_string(valid.size()) + " "));
    }
  }
}

BOOST_AUTO_TEST_CASE(another_tokenizer_may_be_given) {
  const CorpusDirectory directory;
  TokenizerModel model = small_model();
  run_encode(directory.corpus({"!?!"}), model, options_of(SeparatorRule::kNone), with_jobs(1),
             directory / "out");
  model.tokens['!'] = "one";
  BOOST_TEST(decoded(directory / "out", DecodeErrors::kBytes, &model) == "one?one");
  model.tokens.resize('?');
  BOOST_TEST(
      says(error_of([&] { decoded(directory / "out", DecodeErrors::kBytes, &model); }), "id number 1 "));
}

BOOST_AUTO_TEST_CASE(plain_files_and_single_shards) {
  const CorpusDirectory directory;
  const TokenizerModel model = small_model();
  const std::string two = directory.put("two.bin", std::string("h\0i\0", 4));
  BOOST_TEST(decoded_file(two, 2, model) == "hi");
  const std::string four = directory.put("four.bin", std::string("h\0\0\0i\0\0\0", 8));
  BOOST_TEST(decoded_file(four, 4, model) == "hi");
  BOOST_TEST(decoded_file(directory.put("empty.bin", ""), 2, model).empty());
  run_encode(directory.corpus({"newest low"}), model, options_of(SeparatorRule::kNone), with_jobs(1),
             directory / "out");
  BOOST_TEST(decoded_file(directory / "out/shard-00000.bin.zst", 2, model) == "newest low");
}

BOOST_AUTO_TEST_CASE(files_that_are_no_ids_are_named) {
  const CorpusDirectory directory;
  const TokenizerModel model = small_model();
  const auto error_for = [&](const std::string& name, std::string_view bytes, std::uint32_t id_bytes = 2) {
    const std::string path = directory.put(name, bytes);
    const std::string error = error_of([&] { decoded_file(path, id_bytes, model); });
    BOOST_TEST(tells(error, path + ": "));
    return error;
  };
  BOOST_TEST(tells(error_for("odd.bin", "abc"), "multiple of 2"));
  BOOST_TEST(tells(error_for("six.bin", "abcdef", 4), "multiple of 4"));
  BOOST_TEST(tells(error_for("bad.bin", std::string("a\0a\0\xFF\xFF", 6)), "id number 2 "));
  error_for("text.txt", "abcd");
  error_for("shard.bin.zst", "abcd");
  BOOST_CHECK_THROW(decoded_file(directory / "missing.bin", 2, model), Error);
  BOOST_TEST(
      says(error_of([&] { decoded(directory / "missing", DecodeErrors::kBytes); }), directory / "missing"));
}

BOOST_AUTO_TEST_CASE(ways_to_treat_errors_have_names) {
  BOOST_TEST((decode_errors_from_name("replace") == DecodeErrors::kReplace));
  BOOST_TEST((decode_errors_from_name("strict") == DecodeErrors::kStrict));
  BOOST_TEST((decode_errors_from_name("bytes") == DecodeErrors::kBytes));
  BOOST_CHECK_THROW(decode_errors_from_name("ignore"), UsageError);
}

BOOST_AUTO_TEST_SUITE_END()
