#include "io/atomic_file.h"

#include <sys/resource.h>

#include <boost/test/unit_test.hpp>
#include <csignal>

#include "io/checksum.h"
#include "io/scratch.h"
#include "support.h"

using namespace tokmill;
using namespace tokmill::test;
namespace fs = std::filesystem;

namespace {

/// While it lives no file of this process can grow beyond `bytes`, as on a full device.
class FullDevice {
 public:
  explicit FullDevice(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDevice() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_;
  void (*handler_)(int);
};

bool is_empty(const ScratchDirectory& scratch) {
  return fs::is_empty(scratch.path());
}

}  // namespace

BOOST_AUTO_TEST_SUITE(atomic_file_test)

BOOST_AUTO_TEST_CASE(appears_at_commit_and_not_before) {
  const ScratchDirectory scratch;
  const std::string path = scratch / "file";
  {
    AtomicFile file(path);
    BOOST_TEST(file.path() == path);
    file.append("some ");
    file.append("bytes");
    BOOST_TEST(!fs::exists(path));
    BOOST_TEST(fs::exists(path + AtomicFile::kSuffix));
    file.commit();
    BOOST_TEST(take_file(path) == "some bytes");
    BOOST_TEST(!fs::exists(path + AtomicFile::kSuffix));
  }
  BOOST_TEST(take_file(path) == "some bytes");
}

BOOST_AUTO_TEST_CASE(what_was_there_stays_until_commit) {
  const ScratchDirectory scratch;
  const std::string path = scratch / "file";
  put_file(path, "old and longer than what comes");
  AtomicFile file(path);
  file.append("new");
  BOOST_TEST(take_file(path) == "old and longer than what comes");
  file.commit();
  BOOST_TEST(take_file(path) == "new");
}

BOOST_AUTO_TEST_CASE(nothing_is_left_without_a_commit) {
  const ScratchDirectory scratch;
  { AtomicFile(scratch / "file").append("some bytes"); }
  BOOST_TEST(is_empty(scratch));
  { AtomicFile(scratch / "file").append(std::string(1 << 20, 'x')); }
  BOOST_TEST(is_empty(scratch));
}

BOOST_AUTO_TEST_CASE(what_a_killed_process_left_is_overwritten) {
  const ScratchDirectory scratch;
  put_file(scratch / "file.partial", "left behind, and longer");
  write_file(scratch / "file", "new");
  BOOST_TEST(take_file(scratch / "file") == "new");
  BOOST_TEST(!fs::exists(scratch / "file.partial"));
}

BOOST_AUTO_TEST_CASE(appends_of_all_sizes_join_and_are_counted) {
  const ScratchDirectory scratch;
  Random random(3);
  for (int round = 0; round < 20; ++round) {
    const std::string path = scratch / "file";
    AtomicFile file(path);
    std::string expected;
    const std::vector<std::size_t> most = {0, 1, 100, 70'000, 1 << 18, 600'000};
    for (int i = 0; i < 12; ++i) {
      const std::string piece = random.bytes(random.between(0, random.pick(most)));
      file.append(piece);
      expected += piece;
      BOOST_TEST(file.size() == expected.size());
      BOOST_TEST(file.checksum() == Checksum::of(expected));
    }
    file.commit();
    BOOST_TEST((take_file(path) == expected));
  }
}

BOOST_AUTO_TEST_CASE(an_empty_file_is_a_file) {
  const ScratchDirectory scratch;
  write_file(scratch / "file", "");
  BOOST_TEST(take_file(scratch / "file").empty());
}

BOOST_AUTO_TEST_CASE(where_nothing_can_be_written_is_an_error_that_names_the_place) {
  const ScratchDirectory scratch;
  put_file(scratch / "plain", "x");
  BOOST_TEST(says(error_of([&] { AtomicFile(scratch / "missing/file"); }), scratch / "missing/file"));
  BOOST_TEST(says(error_of([&] { AtomicFile(scratch / "plain/file"); }), "Not a directory"));
  if (::geteuid() != 0) {  // root may write anywhere
    fs::permissions(scratch.path(), fs::perms::owner_read | fs::perms::owner_exec);
    BOOST_TEST(says(error_of([&] { AtomicFile(scratch / "file"); }), "Permission denied"));
    fs::permissions(scratch.path(), fs::perms::owner_all);
  }
}

BOOST_AUTO_TEST_CASE(a_commit_that_fails_leaves_nothing) {
  const ScratchDirectory scratch;
  fs::create_directory(scratch / "name");
  AtomicFile file(scratch / "name");
  file.append("bytes");
  BOOST_TEST(says(error_of([&] { file.commit(); }), scratch / "name: cannot be written: Is a directory"));
  BOOST_TEST(!fs::exists(scratch / "name.partial"));
  BOOST_TEST(fs::is_directory(scratch / "name"));
}

BOOST_AUTO_TEST_CASE(a_full_device_is_an_error_and_leaves_nothing) {
  const ScratchDirectory scratch;
  for (const std::size_t size : {100'001u, 300'000u, 900'000u}) {  // less than the buffer, and more
    std::string error;
    {
      const FullDevice full(100'000);
      error = error_of([&] { write_file(scratch / "file", std::string(size, 'x')); });
    }
    BOOST_TEST(says(error, scratch / "file: cannot be written: File too large"));
    BOOST_TEST(is_empty(scratch));
  }
  const FullDevice full(100'000);
  BOOST_CHECK_NO_THROW(write_file(scratch / "file", std::string(100'000, 'x')));
}

BOOST_AUTO_TEST_CASE(directories_are_made_with_their_parents) {
  const ScratchDirectory scratch;
  make_directories(scratch / "a/b/c");
  BOOST_TEST(fs::is_directory(scratch / "a/b/c"));
  BOOST_CHECK_NO_THROW(make_directories(scratch / "a/b"));
  put_file(scratch / "plain", "x");
  BOOST_TEST(says(error_of([&] { make_directories(scratch / "plain/d"); }), scratch / "plain/d: "));
}

BOOST_AUTO_TEST_SUITE_END()
