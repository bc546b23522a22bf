// Threads for work that is over in milliseconds; what takes longer is done by processes (pipeline/worker_pool).
#pragma once

#include <cstddef>
#include <future>
#include <vector>

namespace tokmill {

/// Calls `task(i)` for all i below `tasks`, each in a thread of its own but the first, which is done in this
/// one. Returns when all are done, and throws what the first to fail has thrown.
template <class Task>
void in_parallel(std::size_t tasks, const Task& task) {
  std::vector<std::future<void>> others;  // wait for their threads when they are destroyed
  for (std::size_t i = 1; i < tasks; ++i) {
    others.push_back(std::async(std::launch::async, [&task, i] { task(i); }));
  }
  if (tasks > 0) task(std::size_t{0});
  for (std::future<void>& other : others) other.get();
}

}  // namespace tokmill
