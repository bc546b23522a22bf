#include "pipeline/corpus.h"

#include <boost/json/serialize.hpp>
#include <boost/test/unit_test.hpp>
#include <chrono>

#include "io/error.h"
#include "pipeline/corpora.h"

using namespace tokmill;
using test::CorpusDirectory;
using test::error_of;
using test::tells;

namespace {

// The names found, relative to the directory, with spaces between.
std::string found(const CorpusDirectory& directory, const std::vector<std::string>& arguments) {
  std::string names;
  for (const Corpus::Input& input : find_corpus(arguments).inputs) {
    names += (names.empty() ? "" : " ") + input.path.substr(directory.path().size() + 1);
  }
  return names;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(corpus_test)

BOOST_AUTO_TEST_CASE(files_in_the_order_given) {
  const CorpusDirectory directory;
  const std::string a = directory.put("a", "12345"), b = directory.put("b", "");
  BOOST_TEST(found(directory, {b, a}) == "b a");
  BOOST_TEST(found(directory, {a, b, a}) == "a b a");
  const Corpus corpus = find_corpus({a, b, a});
  BOOST_TEST(corpus.bytes() == 10);
  BOOST_TEST(corpus.inputs[0].identity.size == 5);
}

BOOST_AUTO_TEST_CASE(a_directory_is_all_files_below_it_sorted_by_path) {
  const CorpusDirectory directory;
  for (const char* name : {"d/z", "d/b/2", "d/b/10", "d/a", "d/c/x/y"}) directory.put(name, "x");
  std::filesystem::create_directories(directory / "d/empty");
  BOOST_TEST(found(directory, {directory / "d"}) == "d/a d/b/10 d/b/2 d/c/x/y d/z");
}

BOOST_AUTO_TEST_CASE(a_directory_is_followed_through_links) {
  const CorpusDirectory directory;
  directory.put("elsewhere/file", "x");
  directory.put("d/own", "x");
  std::filesystem::create_directory_symlink(directory / "elsewhere", directory / "d/link");
  BOOST_TEST(found(directory, {directory / "d"}) == "d/link/file d/own");
}

BOOST_AUTO_TEST_CASE(globs) {
  const CorpusDirectory directory;
  for (const char* name : {"b.txt", "a.txt", "a.md", "sub.txt/inner", "[x]"}) directory.put(name, "x");
  BOOST_TEST(found(directory, {directory / "*.txt"}) == "a.txt b.txt sub.txt/inner");
  BOOST_TEST(found(directory, {directory / "[ab].*"}) == "a.md a.txt b.txt");
  BOOST_TEST(found(directory, {directory / "?.md"}) == "a.md");
  BOOST_TEST(found(directory, {directory / "[x]"}) == "[x]");  // a file of that name comes first
  BOOST_TEST(tells(error_of([&] { find_corpus({directory / "*.gz"}); }), "*.gz: no file matches"));
}

BOOST_AUTO_TEST_CASE(lists) {
  const CorpusDirectory directory;
  const std::string a = directory.put("a", "x"), b = directory.put("b", "x");
  directory.put("d/c", "x");
  const std::string inner = directory.put("inner", (directory / "d") + "\n" + a);
  const std::string list = directory.put("list", b + "\r\n\n@" + inner + "\n");
  BOOST_TEST(found(directory, {"@" + list, a}) == "b d/c a a");
}

BOOST_AUTO_TEST_CASE(a_list_of_itself_is_an_error) {
  const CorpusDirectory directory;
  const std::string list = directory.put("list", "@" + (directory / "list"));
  BOOST_TEST(tells(error_of([&] { find_corpus({"@" + list}); }), list));
}

BOOST_AUTO_TEST_CASE(what_is_not_there_is_named) {
  const CorpusDirectory directory;
  const std::string missing = directory / "missing";
  BOOST_TEST(tells(error_of([&] { find_corpus({missing}); }), missing + ": "));
  BOOST_TEST(tells(error_of([&] { find_corpus({"@" + missing}); }), missing + ": "));
  const std::string list = directory.put("list", missing);
  BOOST_TEST(tells(error_of([&] { find_corpus({"@" + list}); }), missing + ": "));
  BOOST_TEST(tells(error_of([&] { find_corpus({"-"}); }), "-: "));
}

BOOST_AUTO_TEST_CASE(a_corpus_of_no_files_is_an_error) {
  const CorpusDirectory directory;
  std::filesystem::create_directories(directory / "empty/inside");
  const std::string list = directory.put("list", "\n");
  BOOST_CHECK_THROW(find_corpus({}), Error);
  BOOST_CHECK_THROW(find_corpus({directory / "empty"}), Error);
  BOOST_CHECK_THROW(find_corpus({"@" + list}), Error);
}

BOOST_AUTO_TEST_CASE(compressed_files_are_not_read_as_text) {
  const CorpusDirectory directory;
  for (const char* start : {"\x1F\x8B\x08", "\x28\xB5\x2F\xFD..."}) {
    const std::string path = directory.put("text.txt", start);
    BOOST_TEST(tells(error_of([&] { find_corpus({path}); }), path + ": is compressed"));
  }
  BOOST_CHECK_NO_THROW(find_corpus({directory.put("short", "\x28\xB5\x2F")}));
}

BOOST_AUTO_TEST_CASE(describes_every_file_as_it_was) {
  const CorpusDirectory directory;
  const std::string path = directory.put("a", "12345");
  const boost::json::array before = find_corpus({path}).to_json();
  BOOST_TEST(before.at(0).as_array().at(0).as_string() == path);
  BOOST_TEST(before.at(0).as_array().at(1).to_number<std::uint64_t>() == 5);
  BOOST_TEST((find_corpus({path}).to_json() == before));
  std::filesystem::last_write_time(path, std::filesystem::last_write_time(path) + std::chrono::seconds(1));
  BOOST_TEST((find_corpus({path}).to_json() != before));
}

BOOST_AUTO_TEST_SUITE_END()
