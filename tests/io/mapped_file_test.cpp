#include "io/mapped_file.h"

#include <boost/test/unit_test.hpp>
#include <memory>
#include <numeric>
#include <vector>

#include "io/scratch.h"
#include "support.h"

using namespace tokmill;
using namespace tokmill::test;

namespace {

constexpr std::size_t kPage = 4096;

/// The file as it is now, mapped from `begin` to `end`.
std::unique_ptr<MappedFile> map(const std::string& path, std::uint64_t begin, std::uint64_t end) {
  return std::make_unique<MappedFile>(path, File(path).identity(), begin, end);
}

/// Touches every byte; a byte that cannot be read ends the test.
unsigned read_all(const char* begin, std::size_t size) {
  return std::accumulate(begin, begin + size, 0u,
                         [](unsigned sum, char c) { return sum + static_cast<unsigned char>(c); });
}

/// Offsets in [0, size] around the borders of pages.
std::vector<std::size_t> offsets_around_pages(std::size_t size) {
  std::vector<std::size_t> out;
  for (std::size_t border = 0; border <= size + kPage; border += kPage) {
    for (std::size_t at = border < 2 ? 0 : border - 2; at <= border + 2 && at <= size; ++at)
      out.push_back(at);
  }
  out.push_back(size);
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(mapped_file_test)

BOOST_AUTO_TEST_CASE(any_stretch_has_its_bytes_and_slack_after_them) {
  const ScratchDirectory scratch;
  Random random(2);
  unsigned slack = 0;
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, kPage - 1, kPage, kPage + 1, 2 * kPage,
                                 3 * kPage - 1, 3 * kPage, 3 * kPage + 1}) {
    const std::string path = scratch / "file", bytes = random.bytes(size);
    put_file(path, bytes);
    for (const std::size_t begin : offsets_around_pages(size)) {
      for (const std::size_t end : offsets_around_pages(size)) {
        if (end < begin) continue;
        const auto file = map(path, begin, end);
        BOOST_TEST((file->bytes() == std::string_view(bytes).substr(begin, end - begin)),
                   size << " bytes, " << begin << " to " << end);
        slack |= read_all(file->bytes().data() + file->bytes().size(), MappedFile::kSlack);
      }
    }
  }
  BOOST_TEST(slack != 0u);  // some stretches are followed by the rest of their page
}

BOOST_AUTO_TEST_CASE(an_empty_stretch_is_no_mapping_but_has_slack) {
  const ScratchDirectory scratch;
  put_file(scratch / "file", std::string(2 * kPage, 'x'));
  for (const std::size_t at : {std::size_t{0}, std::size_t{7}, kPage, 2 * kPage}) {
    const auto file = map(scratch / "file", at, at);
    BOOST_TEST(file->bytes().empty());
    BOOST_TEST(read_all(file->bytes().data(), MappedFile::kSlack) == 0u);
  }
}

BOOST_AUTO_TEST_CASE(a_file_that_changed_is_an_error) {
  const ScratchDirectory scratch;
  const std::string path = scratch / "file";
  put_file(path, "some text");
  const FileIdentity before = File(path).identity();
  const auto error = [&](FileIdentity expected, std::uint64_t begin, std::uint64_t end) {
    return error_of([&] { MappedFile(path, expected, begin, end); });
  };
  BOOST_TEST(error(before, 0, 9) == "");
  BOOST_TEST(says(error(before, 0, 10), path + ": changed since the run began"));
  BOOST_TEST(says(error(before, 5, 4), path + ": changed"));
  BOOST_TEST(says(error({9, before.modified_ns + 1}, 0, 9), path + ": changed"));
  put_file(path, "some text, longer");
  BOOST_TEST(says(error(before, 0, 9), path + ": changed"));
}

BOOST_AUTO_TEST_CASE(what_is_no_file_cannot_be_mapped) {
  const ScratchDirectory scratch;
  BOOST_TEST(says(error_of([&] { MappedFile(scratch / "missing", {}, 0, 0); }), scratch / "missing: "));
  BOOST_TEST(says(error_of([&] { MappedFile(scratch.path(), {}, 0, 0); }), "is a directory"));
}

BOOST_AUTO_TEST_CASE(an_address_leads_back_to_its_file) {
  const ScratchDirectory scratch;
  const std::vector<std::string> paths = {scratch / "a", scratch / "b", scratch / "c"};
  std::vector<std::unique_ptr<MappedFile>> files;
  for (const std::string& path : paths) {
    put_file(path, std::string(3 * kPage, 'x'));
    files.push_back(map(path, kPage + 5, 3 * kPage));
  }
  // Unmapped in an order that is neither that of mapping nor its reverse.
  for (const std::size_t gone : {1u, 0u, 2u}) {
    for (std::size_t i = 0; i < files.size(); ++i) {
      if (!files[i]) continue;
      const std::string_view bytes = files[i]->bytes();
      for (const char* p : {bytes.data(), bytes.data() + kPage, bytes.data() + bytes.size() - 1}) {
        BOOST_REQUIRE(MappedFile::path_of_address(p) != nullptr);
        BOOST_TEST(MappedFile::path_of_address(p) == paths[i]);
      }
    }
    const char* const lost = files[gone]->bytes().data();
    files[gone].reset();
    BOOST_TEST(MappedFile::path_of_address(lost) == nullptr);
  }
  BOOST_TEST(MappedFile::path_of_address(&files) == nullptr);
  BOOST_TEST(MappedFile::path_of_address(nullptr) == nullptr);
}

BOOST_AUTO_TEST_SUITE_END()
