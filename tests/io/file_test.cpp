#include "io/file.h"

#include <boost/test/unit_test.hpp>
#include <chrono>

#include "io/scratch.h"
#include "support.h"

using namespace tokmill;
using namespace tokmill::test;

BOOST_AUTO_TEST_SUITE(file_test)

BOOST_AUTO_TEST_CASE(reads_any_stretch) {
  const ScratchDirectory scratch;
  Random random(1);
  const std::string path = scratch / "bytes", bytes = random.bytes(10'000);
  put_file(path, bytes);
  const File file(path);
  BOOST_TEST(file.path() == path);
  BOOST_TEST(file.size() == bytes.size());
  for (int i = 0; i < 200; ++i) {
    const std::size_t offset = random.between(0, bytes.size());
    const std::size_t length = random.between(0, bytes.size() - offset);
    BOOST_TEST((file.read_at(offset, length) == bytes.substr(offset, length)));
  }
  BOOST_TEST((read_file(path) == bytes));
}

BOOST_AUTO_TEST_CASE(an_empty_file_is_read_as_nothing) {
  const ScratchDirectory scratch;
  put_file(scratch / "empty", "");
  BOOST_TEST(read_file(scratch / "empty").empty());
  BOOST_TEST(File(scratch / "empty").read_at(0, 0).empty());
}

BOOST_AUTO_TEST_CASE(a_file_that_ends_too_early_is_an_error_with_the_offset_of_its_end) {
  const ScratchDirectory scratch;
  put_file(scratch / "short", "12345");
  const File file(scratch / "short");
  const auto error = [&](std::uint64_t offset, std::size_t length) {
    return error_of([&] { file.read_at(offset, length); });
  };
  BOOST_TEST(error(0, 5) == "");
  BOOST_TEST(says(error(0, 6), scratch / "short: byte 5: the file ends here"));
  BOOST_TEST(says(error(4, 9), "byte 5: "));
  BOOST_TEST(says(error(7, 1), "byte 7: "));
}

BOOST_AUTO_TEST_CASE(missing_files_and_directories_are_errors_that_name_them) {
  const ScratchDirectory scratch;
  const std::string missing = scratch / "missing";
  BOOST_TEST(error_of([&] { File file(missing); }) ==
             missing + ": cannot be opened: No such file or directory");
  BOOST_TEST(error_of([&] { read_file(scratch.path()); }) == scratch.path() + ": is a directory, not a file");
  BOOST_TEST(error_of([&] { File(scratch.path()).identity(); }) != "");
}

BOOST_AUTO_TEST_CASE(size_and_time_of_change_identify_a_file) {
  const ScratchDirectory scratch;
  const std::string path = scratch / "file";
  put_file(path, "some");
  const FileIdentity first = File(path).identity();
  BOOST_TEST(first.size == 4);
  BOOST_TEST((File(path).identity() == first));

  std::filesystem::last_write_time(path,
                                   std::filesystem::last_write_time(path) + std::chrono::nanoseconds(1000));
  BOOST_TEST(File(path).identity().modified_ns == first.modified_ns + 1000);
  BOOST_TEST(!(File(path).identity() == first));

  put_file(path, "other");
  BOOST_TEST(File(path).identity().size == 5);
}

BOOST_AUTO_TEST_CASE(moves_without_closing) {
  const ScratchDirectory scratch;
  put_file(scratch / "file", "content");
  File first(scratch / "file");
  const int descriptor = first.descriptor();
  {
    const File second(std::move(first));
    BOOST_TEST(second.descriptor() == descriptor);
    BOOST_TEST(second.read_at(3, 4) == "tent");
  }
  BOOST_TEST(first.descriptor() == -1);
  BOOST_TEST(::lseek(descriptor, 0, SEEK_CUR) == -1);  // closed, once, by the second
}

BOOST_AUTO_TEST_CASE(removes_what_is_there) {
  const ScratchDirectory scratch;
  put_file(scratch / "file", "x");
  remove_file(scratch / "file");
  BOOST_TEST(!std::filesystem::exists(scratch / "file"));
  BOOST_CHECK_NO_THROW(remove_file(scratch / "file"));
  BOOST_TEST(says(error_of([&] { remove_file(scratch.path()); }), scratch.path() + ": cannot be removed: "));
}

BOOST_AUTO_TEST_SUITE_END()
