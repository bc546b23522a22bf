#include "pipeline/run_directory.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/json/array.hpp>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <optional>

#include "io/error.h"
#include "pipeline/corpora.h"

using namespace tokmill;
using test::error_of;
using test::listing;
using test::ScratchDirectory;
using test::tells;

namespace {

boost::json::object run_of(int size) {
  return describe_run("count", {"corpus.txt"}, {{"shard_size", size}});
}

// The words of the Error that another process meets with that run; empty where it meets none.
std::string error_elsewhere(const std::string& path, const boost::json::object& run) {
  int ends[2];
  BOOST_REQUIRE(::pipe(ends) == 0);
  const pid_t pid = ::fork();
  if (pid == 0) {
    const std::string error = error_of([&] { RunDirectory(path, run); });
    const bool told = ::write(ends[1], error.data(), error.size()) == static_cast<ssize_t>(error.size());
    ::_exit(told ? 0 : 1);
  }
  ::close(ends[1]);
  std::string error(4'096, '\0');
  const ssize_t size = ::read(ends[0], error.data(), error.size());
  ::close(ends[0]);
  int status = 0;
  ::waitpid(pid, &status, 0);
  BOOST_REQUIRE(status == 0);
  error.resize(static_cast<std::size_t>(size));
  return error;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(run_directory_test)

BOOST_AUTO_TEST_CASE(is_made_and_removed_when_the_run_is_done) {
  const ScratchDirectory scratch;
  RunDirectory directory(scratch / "out/.run", run_of(1));
  BOOST_TEST(!directory.resumed());
  BOOST_TEST(directory.file("part") == scratch / "out/.run/part");
  BOOST_TEST(listing(directory.path()) == "lock run.json");
  test::put_file(directory.file("part"), "result");
  directory.finish();
  BOOST_TEST(listing(scratch.path()) == "out");
}

BOOST_AUTO_TEST_CASE(a_failed_run_without_results_leaves_nothing) {
  const ScratchDirectory scratch;
  {
    const RunDirectory directory(scratch / ".run", run_of(1));
    test::put_file(directory.file("part.partial"), "half a result");
  }
  BOOST_TEST(listing(scratch.path()).empty());
}

BOOST_AUTO_TEST_CASE(a_failed_run_keeps_its_results_and_goes_on) {
  const ScratchDirectory scratch;
  const std::string path = scratch / ".run";
  {
    const RunDirectory directory(path, run_of(1));
    test::put_file(directory.file("part"), "result");
    test::put_file(directory.file("other.partial"), "half a result");
  }
  BOOST_TEST(listing(path) == "lock part run.json");
  RunDirectory directory(path, run_of(1));
  BOOST_TEST(directory.resumed());
  BOOST_TEST(test::take_file(directory.file("part")) == "result");
  directory.finish();
  BOOST_TEST(listing(scratch.path()).empty());
}

BOOST_AUTO_TEST_CASE(what_a_run_left_that_was_killed_while_it_removed_its_directory_is_removed) {
  const test::CorpusDirectory scratch;
  const std::string path = scratch / ".run";
  for (const char* name : {"count-0.table", "spill-0-1.table", "merged.table", "merged-3.table", "lock",
                           "round-0-0.table", "shard-00001.part-2.bin", "trained.json", "run.json.partial"}) {
    scratch.put(std::string(".run/") + name, "x");
  }
  { const RunDirectory directory(path, run_of(1)); }
  BOOST_TEST(!std::filesystem::exists(path));
  scratch.put(".run/notes.txt", "somebody's");
  BOOST_TEST(tells(error_of([&] { RunDirectory(path, run_of(1)); }), path + "/notes.txt: "));
  BOOST_TEST(test::take_file(path + "/notes.txt") == "somebody's");
}

BOOST_AUTO_TEST_CASE(another_run_is_refused_and_disturbs_nothing) {
  const ScratchDirectory scratch;
  const std::string path = scratch / ".run";
  {
    const RunDirectory directory(path, run_of(1));
    test::put_file(directory.file("part"), "result");
  }
  BOOST_TEST(tells(error_of([&] { RunDirectory(path, run_of(2)); }), path + ": "));
  BOOST_TEST(tells(error_of([&] { RunDirectory(path, describe_run("merge", {}, {})); }), path + ": "));
  BOOST_TEST(listing(path) == "lock part run.json");
  const RunDirectory directory(path, run_of(1));
  BOOST_TEST(directory.resumed());
}

BOOST_AUTO_TEST_CASE(a_damaged_description_is_refused) {
  const ScratchDirectory scratch;
  const std::string path = scratch / ".run";
  {
    const RunDirectory directory(path, run_of(1));
    test::put_file(directory.file("part"), "result");
  }
  test::put_file(path + "/run.json", test::take_file(path + "/run.json") + " ");
  BOOST_TEST(tells(error_of([&] { RunDirectory(path, run_of(1)); }), path + "/run.json: "));
}

BOOST_AUTO_TEST_CASE(a_second_process_is_locked_out) {
  const ScratchDirectory scratch;
  const std::string path = scratch / ".run";
  std::optional<RunDirectory> directory(std::in_place, path, run_of(1));
  test::put_file(directory->file("part"), "result");
  for (int i = 0; i < 3; ++i) {
    BOOST_TEST(tells(error_elsewhere(path, run_of(1)), path + ": another"));
    BOOST_TEST(tells(error_elsewhere(path, run_of(2)), path + ": another"));
  }
  BOOST_TEST(listing(path) == "lock part run.json");
  directory.reset();
  BOOST_TEST(error_elsewhere(path, run_of(1)).empty());
  BOOST_TEST(RunDirectory(path, run_of(1)).resumed());
}

BOOST_AUTO_TEST_CASE(the_last_worker_of_a_killed_run_is_waited_for) {
  const ScratchDirectory scratch;
  const std::string path = scratch / ".run";
  const pid_t run = ::fork();
  if (run == 0) {
    const RunDirectory directory(path, run_of(1));
    test::put_file(directory.file("part"), "result");
    if (::fork() == 0) {
      ::usleep(100'000);
      test::put_file(directory.file("late"), "result");
      ::_exit(0);
    }
    ::kill(::getpid(), SIGKILL);
  }
  ::waitpid(run, nullptr, 0);
  const RunDirectory directory(path, run_of(1));
  BOOST_TEST(directory.resumed());
  BOOST_TEST(listing(path) == "late lock part run.json");
}

BOOST_AUTO_TEST_CASE(its_place_depends_on_the_output_alone) {
  BOOST_TEST(run_directory_path("", "out", "out/.run") == "out/.run");
  const std::string one = run_directory_path("/tmp", "out", "out/.run");
  BOOST_TEST(one.starts_with("/tmp/"));
  BOOST_TEST(one == run_directory_path("/tmp", "./sub/../out", "elsewhere"));
  BOOST_TEST(one == run_directory_path("/tmp", std::filesystem::current_path() / "out", ""));
  BOOST_TEST(one != run_directory_path("/tmp", "other", "out/.run"));
}

BOOST_AUTO_TEST_CASE(a_run_is_described_by_all_that_matters) {
  const boost::json::object run = run_of(64);
  BOOST_TEST(run.at("tokmill").as_string() == version());
  BOOST_TEST(!version().empty());
  BOOST_TEST(run.at("verb").as_string() == "count");
  BOOST_TEST(run.at("inputs").as_array().size() == 1);
  BOOST_TEST(run.at("options").as_object().at("shard_size").as_int64() == 64);
}

BOOST_AUTO_TEST_CASE(partial_files_are_removed_and_no_others) {
  const test::CorpusDirectory scratch;
  for (const char* name : {"a.partial", "b.bin.zst.partial", "partial", "a.partial.txt", "sub/c.partial"}) {
    scratch.put(name, "x");
  }
  remove_partial_files(scratch.path());
  BOOST_TEST(listing(scratch.path()) == "a.partial.txt partial sub sub/c.partial");
  BOOST_CHECK_NO_THROW(remove_partial_files(scratch / "missing"));
}

BOOST_AUTO_TEST_SUITE_END()
