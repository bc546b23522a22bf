#include "format/manifest.h"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/test/unit_test.hpp>

#include "format/json_text.h"
#include "io/scratch.h"
#include "support.h"

using namespace tokmill;
using namespace tokmill::test;
namespace json = boost::json;

namespace {

Manifest some_manifest() {
  Manifest manifest;
  manifest.format.compressed = false;
  manifest.format.id_bytes = 4;
  manifest.format.level = -3;
  manifest.format.frame_size = 4096;
  manifest.vocabulary = 100'000;
  manifest.tokenizer_checksum = "xxh3:0123456789abcdef";
  manifest.rule = SeparatorRule::kPrepend;
  manifest.separator = "<|d\u00E9but \"x\"|>";
  manifest.separator_id = 99'999;
  manifest.run = {{"inputs", {"a.txt", "b.txt"}}, {"version", "1.2"}};
  manifest.shards = {{"shard-00000",
                      {{0, 0, 1000, false}, {1, 0, 5, false}},
                      {10, 2, 8, 40, "xxh3:1", "xxh3:3", {{10, "xxh3:2"}}}},
                     {"shard-00001",
                      {{1, 5, ~std::uint64_t{0}, true}},
                      {20, 3, 9, 80, "xxh3:4", "xxh3:6", {{13, "xxh3:5"}, {7, "xxh3:7"}}}},
                     {"shard-00002", {}, {}}};
  return manifest;
}

void check_equal(const Manifest& a, const Manifest& b) {
  BOOST_TEST(a.format.compressed == b.format.compressed);
  BOOST_TEST(a.format.id_bytes == b.format.id_bytes);
  BOOST_TEST(a.format.level == b.format.level);
  BOOST_TEST(a.format.frame_size == b.format.frame_size);
  BOOST_TEST(a.vocabulary == b.vocabulary);
  BOOST_TEST(a.tokenizer_checksum == b.tokenizer_checksum);
  BOOST_TEST((a.rule == b.rule));
  BOOST_TEST(a.separator == b.separator);
  BOOST_TEST(a.separator_id == b.separator_id);
  BOOST_TEST((a.run == b.run));
  BOOST_REQUIRE(a.shards.size() == b.shards.size());
  for (std::size_t i = 0; i < a.shards.size(); ++i) {
    BOOST_TEST(a.shards[i].name == b.shards[i].name);
    BOOST_TEST((a.shards[i].sources == b.shards[i].sources));
    BOOST_TEST((a.shards[i].record == b.shards[i].record));
  }
}

/// The sealed text of some_manifest with what `change` does to it.
template <class Change>
std::string changed(Change change) {
  json::object object = open_sealed(some_manifest().to_text(), "x");
  change(object);
  return to_sealed_text(object);
}

std::string error_on(std::string_view text) {
  return error_of([&] { Manifest::parse(text, "the manifest"); });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(manifest_test)

BOOST_AUTO_TEST_CASE(what_is_written_is_read_back) {
  check_equal(Manifest::parse(some_manifest().to_text(), "x"), some_manifest());
  check_equal(Manifest::parse(Manifest().to_text(), "x"), Manifest());
  for (const SeparatorRule rule : {SeparatorRule::kAppend, SeparatorRule::kPrepend, SeparatorRule::kNone}) {
    Manifest manifest;
    manifest.rule = rule;
    check_equal(Manifest::parse(manifest.to_text(), "x"), manifest);
  }
}

BOOST_AUTO_TEST_CASE(is_read_from_its_directory) {
  const ScratchDirectory scratch;
  put_file(scratch / "manifest.json", some_manifest().to_text());
  check_equal(Manifest::read(scratch.path()), some_manifest());
  BOOST_TEST(
      says(error_of([&] { Manifest::read(scratch / "missing"); }), scratch / "missing/manifest.json: "));
}

BOOST_AUTO_TEST_CASE(adds_up_its_shards) {
  const Manifest manifest = some_manifest();
  BOOST_TEST(manifest.tokens() == 30);
  BOOST_TEST(manifest.documents() == 5);
  BOOST_TEST(Manifest().tokens() == 0);
  Manifest small = manifest;
  small.shards.resize(1);
  BOOST_TEST(small.text_bytes() == 1005);
  const json::object object = open_sealed(small.to_text(), "x");
  BOOST_TEST(object.at("tokens") == 10);
  BOOST_TEST(object.at("documents") == 2);
  BOOST_TEST(object.at("text_bytes") == 1005);
}

// Other programs read it: a changed name is a decision rather than an accident.
BOOST_AUTO_TEST_CASE(says_what_other_programs_read) {
  const json::object object = open_sealed(some_manifest().to_text(), "x");
  BOOST_TEST(object.at("format") == "tokmill-shards-1");
  BOOST_TEST(object.at("dtype") == "uint32");
  BOOST_TEST(object.at("compressed") == false);
  BOOST_TEST(object.at("vocabulary") == 100'000);
  BOOST_TEST(object.at("tokenizer") == "tokenizer.json");
  BOOST_TEST(object.at("separator").at("rule") == "prepend");
  BOOST_TEST(object.at("separator").at("id") == 99'999);
  const json::object& shard = object.at("shards").at(1).as_object();
  BOOST_TEST(shard.at("name") == "shard-00001");
  BOOST_TEST(shard.at("tokens") == 20);
  BOOST_TEST(shard.at("documents") == 3);
  BOOST_TEST(shard.at("checksum") == "xxh3:4");
  BOOST_TEST((shard.at("sources") == json::parse("[[1, 5, 18446744073709551615, 1]]")));
}

BOOST_AUTO_TEST_CASE(every_flipped_bit_is_found) {
  std::string text = some_manifest().to_text();
  std::size_t unseen = 0;
  for (char& byte : text) {
    for (int bit = 0; bit < 8; ++bit) {
      byte = static_cast<char>(byte ^ 1 << bit);
      unseen += error_on(text).empty();
      byte = static_cast<char>(byte ^ 1 << bit);
    }
  }
  BOOST_TEST(unseen == 0);
}

BOOST_AUTO_TEST_CASE(a_text_cut_anywhere_is_an_error) {
  const std::string text = some_manifest().to_text();
  std::size_t unseen = 0;
  for (std::size_t size = 0; size < text.size(); ++size) unseen += error_on(text.substr(0, size)).empty();
  BOOST_TEST(unseen == 0);
}

BOOST_AUTO_TEST_CASE(another_format_is_refused) {
  const std::string error =
      error_on(changed([](json::object& object) { object["format"] = "tokmill-shards-2"; }));
  BOOST_TEST(error ==
             "the manifest: is not a manifest that this version reads: its format is not tokmill-shards-1");
}

BOOST_AUTO_TEST_CASE(what_lacks_a_part_or_has_a_wrong_one_is_refused) {
  for (const char* name : {"format", "dtype", "compressed", "level", "frame_size", "vocabulary",
                           "tokenizer_checksum", "separator", "run", "shards"}) {
    const auto refused = [&](const std::string& text) {
      return says(error_on(text), "the manifest: is not a manifest that this version reads: ");
    };
    BOOST_TEST(refused(changed([&](json::object& object) { object.erase(name); })), name);
    BOOST_TEST(refused(changed([&](json::object& object) { object[name] = nullptr; })), name);
  }
  for (const char* sources : {"[[0, 0, 1]]", "[[0, 0, 1, 0, 0]]", "[[0, 0, -1, 0]]", "[7]", "7"}) {
    BOOST_TEST(error_on(changed([&](json::object& object) {
                 object["shards"].at(0).as_object()["sources"] = json::parse(sources);
               })) != "",
               sources);
  }
  BOOST_TEST(error_on(changed([](json::object& object) { object["dtype"] = "uint8"; })) != "");
  BOOST_TEST(error_on(changed([](json::object& object) { object["separator"].at("rule") = "sometimes"; })) !=
             "");
}

BOOST_AUTO_TEST_CASE(shard_names_sort_as_shards_do) {
  BOOST_TEST(shard_name(0) == "shard-00000");
  BOOST_TEST(shard_name(4095) == "shard-04095");
  BOOST_TEST(shard_name(99'999) == "shard-99999");
  BOOST_TEST(shard_name(100'000) == "shard-100000");
}

BOOST_AUTO_TEST_SUITE_END()
