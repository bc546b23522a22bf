#include "bpe/parallel.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>

using namespace tokmill;

BOOST_AUTO_TEST_SUITE(parallel_test)

BOOST_AUTO_TEST_CASE(does_every_task_once_and_waits_for_it) {
  for (const std::size_t tasks : {0u, 1u, 2u, 7u}) {
    std::array<std::atomic<int>, 8> done{};
    in_parallel(tasks, [&](std::size_t i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(i));
      ++done[i];
    });
    for (std::size_t i = 0; i < done.size(); ++i) BOOST_TEST(done[i] == (i < tasks ? 1 : 0));
  }
}

BOOST_AUTO_TEST_CASE(the_first_task_has_no_thread_of_its_own) {
  std::array<std::thread::id, 2> threads;
  in_parallel(2, [&](std::size_t i) { threads[i] = std::this_thread::get_id(); });
  BOOST_TEST((threads[0] == std::this_thread::get_id()));
  BOOST_TEST((threads[1] != threads[0]));
}

BOOST_AUTO_TEST_CASE(an_error_comes_through_when_all_are_done) {
  for (const std::size_t failing : {0u, 1u, 2u}) {
    std::atomic<int> done = 0;
    std::string message;
    try {
      in_parallel(3, [&](std::size_t i) {
        if (i == failing) throw std::runtime_error(std::to_string(i));
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        ++done;
      });
    } catch (const std::runtime_error& error) {
      message = error.what();
    }
    BOOST_TEST(message == std::to_string(failing));
    BOOST_TEST(done == 2);
  }
}

BOOST_AUTO_TEST_SUITE_END()
