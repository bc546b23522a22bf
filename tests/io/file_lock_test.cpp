#include "io/file_lock.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <thread>

#include "io/error.h"
#include "io/scratch.h"

using namespace tokmill;
using namespace std::chrono_literals;

namespace {

/// Does something while the test waits; ends before the test does.
template <class Action>
std::jthread soon(Action action) {
  return std::jthread([action] {
    std::this_thread::sleep_for(30ms);
    action();
  });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(file_lock_test)

BOOST_AUTO_TEST_CASE(one_at_a_time) {
  const test::ScratchDirectory scratch;
  FileLock first = FileLock::take(scratch / "lock", 0ms);
  BOOST_TEST(first.held());
  BOOST_TEST(!FileLock::take(scratch / "lock", 0ms).held());
  BOOST_TEST(FileLock::take(scratch / "other", 0ms).held());
  first = FileLock();
  BOOST_TEST(!first.held());
  BOOST_TEST(FileLock::take(scratch / "lock", 0ms).held());
}

BOOST_AUTO_TEST_CASE(waits_for_the_one_before) {
  const test::ScratchDirectory scratch;
  FileLock first = FileLock::take(scratch / "lock", 0ms);
  const std::jthread release = soon([&] { first = FileLock(); });
  BOOST_TEST(FileLock::take(scratch / "lock", 60s).held());
}

BOOST_AUTO_TEST_CASE(is_held_until_the_last_child_is_gone) {
  const test::ScratchDirectory scratch;
  FileLock lock = FileLock::take(scratch / "lock", 0ms);
  const pid_t child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  lock = FileLock();
  BOOST_TEST(!FileLock::take(scratch / "lock", 20ms).held());
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  BOOST_TEST(FileLock::take(scratch / "lock", 0ms).held());
}

BOOST_AUTO_TEST_CASE(a_file_that_was_removed_meanwhile_is_not_locked) {
  const test::ScratchDirectory scratch;
  FileLock first = FileLock::take(scratch / "lock", 0ms);
  const std::jthread finish = soon([&] {
    std::filesystem::remove(scratch / "lock");
    first = FileLock();
  });
  BOOST_TEST(!FileLock::take(scratch / "lock", 60s).held());
}

BOOST_AUTO_TEST_CASE(where_no_file_can_be) {
  const test::ScratchDirectory scratch;
  BOOST_CHECK_THROW(FileLock::take(scratch / "none/lock", 0ms), Error);
}

BOOST_AUTO_TEST_SUITE_END()
