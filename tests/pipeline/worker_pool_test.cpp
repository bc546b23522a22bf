#include "pipeline/worker_pool.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <boost/interprocess/anonymous_shared_memory.hpp>
#include <boost/interprocess/mapped_region.hpp>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <filesystem>
#include <new>
#include <thread>

#include "io/error.h"
#include "io/mapped_file.h"
#include "pipeline/corpora.h"

using namespace tokmill;
using test::error_of;
using test::tells;

namespace {

// Numbers that the test and the workers share.
class Shared {
 public:
  explicit Shared(std::size_t size)
      : memory_(boost::interprocess::anonymous_shared_memory(size * sizeof(std::atomic<int>))),
        values_(new (memory_.get_address()) std::atomic<int>[size]) {}
  std::atomic<int>& operator[](std::size_t i) { return values_[i]; }

 private:
  boost::interprocess::mapped_region memory_;
  std::atomic<int>* values_;
};

PoolOptions pool_of(std::size_t tasks, unsigned jobs) {
  PoolOptions options;
  options.stage = "test";
  options.tasks = tasks;
  options.jobs = jobs;
  options.describe = [](std::size_t task) { return "task number " + std::to_string(task); };
  return options;
}

void for_each_task(Worker& worker, const std::function<void(std::size_t)>& work) {
  while (const auto task = worker.next()) {
    work(*task);
    worker.done(*task);
  }
}

void sleep_ms(int ms) {
  std::this_thread::sleep_for(std::chrono::milliseconds(ms));
}

bool wait_until(const std::function<bool()>& reached) {
  for (int i = 0; i < 1'000 && !reached(); ++i) sleep_ms(10);
  return reached();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(worker_pool_test)

BOOST_AUTO_TEST_CASE(every_task_is_done_once) {
  constexpr std::size_t kTasks = 2'000;
  for (const unsigned jobs : {0u, 1u, 2u, 5u}) {
    Shared times(kTasks);
    run_pool(pool_of(kTasks, jobs),
             [&](Worker& worker) { for_each_task(worker, [&](std::size_t task) { ++times[task]; }); });
    for (std::size_t i = 0; i < kTasks; ++i) BOOST_REQUIRE(times[i] == 1);
  }
}

// Others take tasks all the while that the parent gives out those of a dead worker again.
BOOST_AUTO_TEST_CASE(every_task_is_done_once_though_workers_die) {
  constexpr std::size_t kTasks = 10'000, kDeadlyEvery = 100;
  Shared times(kTasks), deaths(1);
  PoolOptions options = pool_of(kTasks, 4);
  options.find_done = [&] {
    std::vector<bool> done(kTasks);
    for (std::size_t i = 0; i < kTasks; ++i) done[i] = times[i] > 0;
    return done;
  };
  run_pool(options, [&](Worker& worker) {
    while (const auto task = worker.next()) {
      if (*task / kDeadlyEvery > static_cast<std::size_t>(deaths[0])) {
        ++deaths[0];
        ::raise(SIGKILL);
      }
      ++times[*task];
    }
  });
  BOOST_TEST(deaths[0] >= static_cast<int>(kTasks / kDeadlyEvery) - 1);
  for (std::size_t i = 0; i < kTasks; ++i) BOOST_REQUIRE(times[i] == 1);
}

BOOST_AUTO_TEST_CASE(tasks_are_given_out_in_order) {
  constexpr std::size_t kTasks = 100;
  Shared order(kTasks), clock(1);
  run_pool(pool_of(kTasks, 1), [&](Worker& worker) {
    for_each_task(worker, [&](std::size_t task) { order[task] = clock[0]++; });
  });
  for (std::size_t i = 0; i < kTasks; ++i) BOOST_REQUIRE(order[i] == static_cast<int>(i));
}

BOOST_AUTO_TEST_CASE(tasks_taken_out_of_their_turn_are_done_once_too) {
  constexpr std::size_t kTasks = 1'000;
  for (const unsigned jobs : {1u, 2u, 5u}) {
    Shared times(kTasks);
    run_pool(pool_of(kTasks, jobs), [&](Worker& worker) {
      while (const auto first = worker.next()) {
        std::vector<std::size_t> mine = {*first};
        for (std::size_t task = kTasks - 1; task > *first && mine.size() < 4; --task) {
          if (worker.take(task)) mine.push_back(task);
        }
        for (const std::size_t task : mine) {
          ++times[task];
          if (worker.take(task)) throw Error("a task is taken twice");
          if (worker.is_done(task)) throw Error("a task is done before it is");
        }
        worker.done(mine);
        for (const std::size_t task : mine) {
          if (!worker.is_done(task) || worker.take(task)) throw Error("a task that is done is not");
        }
      }
    });
    for (std::size_t i = 0; i < kTasks; ++i) BOOST_REQUIRE(times[i] == 1);
  }
}

BOOST_AUTO_TEST_CASE(workers_work_at_the_same_time) {
  Shared arrived(1), met(2);
  run_pool(pool_of(2, 2), [&](Worker& worker) {
    for_each_task(worker, [&](std::size_t task) {
      ++arrived[0];
      met[task] = wait_until([&] { return arrived[0] == 2; });
    });
  });
  BOOST_TEST((met[0] == 1 && met[1] == 1));
}

BOOST_AUTO_TEST_CASE(no_tasks_need_no_workers) {
  Shared started(1);
  const PoolResult result = run_pool(pool_of(0, 3), [&](Worker&) { ++started[0]; });
  BOOST_TEST(started[0] == 0);
  BOOST_TEST(result.counters[Worker::kBytes] == 0);
}

BOOST_AUTO_TEST_CASE(counters_add_up) {
  const PoolResult result = run_pool(pool_of(100, 3), [&](Worker& worker) {
    for_each_task(worker, [&](std::size_t task) {
      worker.add(Worker::kBytes, std::uint64_t{1} << 40);
      worker.add(Worker::kTokens, task);
      worker.set(Worker::kMerges, 7);
    });
  });
  BOOST_TEST(result.counters[Worker::kBytes] == std::uint64_t{100} << 40);
  BOOST_TEST(result.counters[Worker::kTokens] == 4'950);
  BOOST_TEST(result.counters[Worker::kMerges] == 7);
  BOOST_TEST(result.counters[Worker::kDocuments] == 0);
}

BOOST_AUTO_TEST_CASE(memory_of_the_workers_is_seen) {
  const PoolResult result = run_pool(pool_of(2, 2), [&](Worker& worker) {
    std::string much;
    for_each_task(worker, [&](std::size_t) { much.assign(48 << 20, 'x'); });
  });
  BOOST_TEST(result.peak_memory > std::uint64_t{48} << 20);
}

BOOST_AUTO_TEST_CASE(progress_is_reported_to_the_end) {
  PoolOptions options = pool_of(3, 1);
  options.total = 30;
  std::vector<Progress> seen;
  options.progress = [&](const Progress& progress) { seen.push_back(progress); };
  run_pool(options, [&](Worker& worker) {
    for_each_task(worker, [&](std::size_t) {
      worker.add(Worker::kBytes, 10);
      sleep_ms(120);
    });
  });
  BOOST_REQUIRE(seen.size() > 2);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    BOOST_TEST(seen[i].stage == "test");
    BOOST_TEST(seen[i].unit == "B");
    BOOST_TEST(seen[i].total == 30);
    BOOST_TEST(seen[i].finished == (i + 1 == seen.size()));
    BOOST_TEST((i == 0 || seen[i].done >= seen[i - 1].done));
  }
  BOOST_TEST(seen.back().done == 30);
  options.progress_counter = Worker::kMerges;
  run_pool(options, [&](Worker& worker) { for_each_task(worker, [](std::size_t) {}); });
  BOOST_TEST(seen.back().unit == "merges");
}

BOOST_AUTO_TEST_CASE(an_exception_in_a_worker_is_an_error_of_the_same_words) {
  const auto error_from = [&](const std::function<void()>& fail) {
    return error_of([&] {
      run_pool(pool_of(50, 2), [&](Worker& worker) {
        for_each_task(worker, [&](std::size_t task) {
          if (task == 20) fail();
        });
      });
    });
  };
  BOOST_TEST(error_from([] { throw Error("a.txt: byte 7: is wrong"); }) == "a.txt: byte 7: is wrong");
  BOOST_TEST(error_from([] { throw std::runtime_error("something else"); }) == "something else");
  BOOST_TEST(tells(error_from([] { throw std::bad_alloc(); }), "out of memory"));
  const std::string cut = error_from([] { throw Error(std::string(100'000, 'w')); });
  BOOST_TEST((cut.size() > 1'000 && cut == std::string(cut.size(), 'w')));
}

BOOST_AUTO_TEST_CASE(wrong_usage_stays_wrong_usage) {
  const auto run = [] { run_pool(pool_of(1, 1), [](Worker&) { throw UsageError("give another"); }); };
  BOOST_CHECK_EXCEPTION(run(), UsageError,
                        [](const UsageError& e) { return e.what() == std::string("give another"); });
  const auto other = [] { run_pool(pool_of(1, 1), [](Worker&) { throw Error("no"); }); };
  BOOST_CHECK_EXCEPTION(other(), Error,
                        [](const Error& e) { return dynamic_cast<const UsageError*>(&e) == nullptr; });
}

BOOST_AUTO_TEST_CASE(a_worker_that_dies_once_is_replaced) {
  constexpr std::size_t kTasks = 40;
  for (const unsigned jobs : {1u, 2u}) {
    Shared finished(kTasks), deaths(1);
    run_pool(pool_of(kTasks, jobs), [&](Worker& worker) {
      // Done together at the end, as counting does it: what a dead worker had taken is given out again.
      std::vector<std::size_t> taken;
      while (const auto task = worker.next()) {
        taken.push_back(*task);
        if (*task == kTasks / 2 && deaths[0]++ == 0) ::raise(SIGKILL);
      }
      for (const std::size_t task : taken) {
        ++finished[task];
        worker.done(task);
      }
    });
    BOOST_TEST(deaths[0] == 2);
    for (std::size_t i = 0; i < kTasks; ++i) BOOST_REQUIRE(finished[i] == 1);
  }
}

BOOST_AUTO_TEST_CASE(what_is_done_survives_the_death_of_its_worker) {
  constexpr std::size_t kTasks = 10;
  Shared times(kTasks);
  run_pool(pool_of(kTasks, 1), [&](Worker& worker) {
    while (const auto task = worker.next()) {
      const bool first = times[*task]++ == 0;
      if (*task == 5 && first) ::raise(SIGKILL);
      worker.done(*task);
      if (*task == 7 && first) ::raise(SIGKILL);
    }
  });
  for (std::size_t i = 0; i < kTasks; ++i) BOOST_TEST(times[i] == (i == 5 ? 2 : 1));
}

BOOST_AUTO_TEST_CASE(a_task_that_kills_three_workers_is_named) {
  Shared deaths(1);
  PoolOptions options = pool_of(6, 2);
  const auto run = [&](const std::function<void()>& die) {
    deaths[0] = 0;
    return error_of([&] {
      run_pool(options, [&](Worker& worker) {
        for_each_task(worker, [&](std::size_t task) {
          if (task != 4) return;
          ++deaths[0];
          die();
        });
      });
    });
  };
  const std::string killed = run([] { ::raise(SIGKILL); });
  BOOST_TEST(tells(killed, "task number 4: "));
  BOOST_TEST(tells(killed, "3 times"));
  BOOST_TEST(tells(killed, "signal 9"));
  BOOST_TEST(deaths[0] == 3);
  BOOST_TEST(tells(run([] { ::_exit(9); }), "exit code 9"));
  BOOST_TEST(deaths[0] == 3);
  options.describe = {};
  BOOST_TEST(tells(run([] { ::raise(SIGKILL); }), "task 4: "));
}

BOOST_AUTO_TEST_CASE(workers_that_die_before_they_take_a_task_are_an_error) {
  const std::string error = error_of([] { run_pool(pool_of(5, 1), [](Worker&) { ::raise(SIGKILL); }); });
  BOOST_TEST(tells(error, "test: "));
  BOOST_TEST(tells(error, "signal 9"));
}

BOOST_AUTO_TEST_CASE(what_is_done_already_is_not_given_out) {
  constexpr std::size_t kTasks = 20;
  Shared times(kTasks);
  PoolOptions options = pool_of(kTasks, 2);
  options.find_done = [] {
    std::vector<bool> done(kTasks);
    done[0] = done[7] = done[19] = true;
    return done;
  };
  run_pool(options, [&](Worker& worker) { for_each_task(worker, [&](std::size_t task) { ++times[task]; }); });
  for (std::size_t i = 0; i < kTasks; ++i) BOOST_TEST(times[i] == (i == 0 || i == 7 || i == 19 ? 0 : 1));

  Shared started(1);
  options.find_done = [] { return std::vector<bool>(kTasks, true); };
  run_pool(options, [&](Worker&) { ++started[0]; });
  BOOST_TEST(started[0] == 0);
}

BOOST_AUTO_TEST_CASE(a_worker_that_died_after_its_result_was_there_need_not_do_it_again) {
  Shared on_disk(4), times(4);
  PoolOptions options = pool_of(4, 1);
  options.find_done = [&] {
    std::vector<bool> done(4);
    for (std::size_t i = 0; i < 4; ++i) done[i] = on_disk[i] != 0;
    return done;
  };
  run_pool(options, [&](Worker& worker) {
    for_each_task(worker, [&](std::size_t task) {
      ++times[task];
      on_disk[task] = 1;
      if (task == 2) ::raise(SIGKILL);
    });
  });
  for (std::size_t i = 0; i < 4; ++i) BOOST_TEST(times[i] == 1);
}

BOOST_AUTO_TEST_CASE(an_interrupt_ends_the_workers) {
  for (const int signal : {SIGTERM, SIGINT}) {
    Shared pids(2);
    const auto run = [&] {
      run_pool(pool_of(2, 2), [&](Worker& worker) {
        for_each_task(worker, [&](std::size_t task) {
          pids[task] = ::getpid();
          if (!wait_until([&] { return pids[0] != 0 && pids[1] != 0; })) return;
          if (task == 0) ::kill(::getppid(), signal);
          sleep_ms(60'000);
        });
      });
    };
    const auto began = std::chrono::steady_clock::now();
    BOOST_CHECK_THROW(run(), Interrupted);
    BOOST_TEST((std::chrono::steady_clock::now() - began < std::chrono::seconds(30)));
    for (std::size_t i = 0; i < 2; ++i) {
      BOOST_REQUIRE(pids[i] != 0);
      BOOST_TEST(::kill(pids[i], 0) != 0);  // gone
    }
  }
}

BOOST_AUTO_TEST_CASE(an_interrupt_between_pools_is_kept_for_the_next) {
  const InterruptGuard guard;
  BOOST_CHECK_NO_THROW(InterruptGuard::check());
  ::raise(SIGTERM);
  BOOST_CHECK_THROW(InterruptGuard::check(), Interrupted);
  BOOST_CHECK_NO_THROW(InterruptGuard::check());
  ::raise(SIGINT);
  const auto run = [] {
    run_pool(pool_of(1, 1),
             [](Worker& worker) { for_each_task(worker, [](std::size_t) { sleep_ms(60'000); }); });
  };
  BOOST_CHECK_THROW(run(), Interrupted);
  BOOST_CHECK_NO_THROW(InterruptGuard::check());
}

BOOST_AUTO_TEST_CASE(a_file_cut_short_under_its_mapping_is_named) {
  const test::ScratchDirectory directory;
  const std::string path = directory / "corpus.txt";
  test::put_file(path, std::string(1 << 20, 'x'));
  const std::string error = error_of([&] {
    run_pool(pool_of(1, 1), [&](Worker& worker) {
      for_each_task(worker, [&](std::size_t) {
        const MappedFile mapped(path, File(path).identity(), 0, 1 << 20);
        std::filesystem::resize_file(path, 5'000);
        std::size_t sum = 0;
        for (const char c : mapped.bytes()) sum += static_cast<unsigned char>(c);
        worker.add(Worker::kTokens, sum);
      });
    });
  });
  BOOST_TEST(tells(error, path + ": "));
  BOOST_TEST(tells(error, "shorter"));
}

BOOST_AUTO_TEST_CASE(signals_are_as_before_when_a_pool_has_ended) {
  sigset_t before, after;
  ::sigprocmask(SIG_BLOCK, nullptr, &before);
  run_pool(pool_of(3, 2), [](Worker& worker) { for_each_task(worker, [](std::size_t) {}); });
  error_of([] { run_pool(pool_of(3, 2), [](Worker&) { throw Error("no"); }); });
  { const InterruptGuard guard; }
  ::sigprocmask(SIG_BLOCK, nullptr, &after);
  for (const int signal : {SIGINT, SIGTERM, SIGCHLD}) {
    BOOST_TEST(::sigismember(&before, signal) == ::sigismember(&after, signal));
  }
}

BOOST_AUTO_TEST_SUITE_END()
