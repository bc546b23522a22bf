// Forked processes that work on tasks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pipeline/progress.h"

namespace tokmill {

/// While one of these lives, SIGINT and SIGTERM wait until a pool, or `check`, throws Interrupted for them.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  static void check();
};

struct PoolState;  // in memory that the processes share

/// What a worker sees of the pool; it lives in the worker's process.
class Worker {
 public:
  /// Numbers that workers add up for the whole pool.
  enum Counter { kBytes, kDocuments, kPretokens, kTokens, kMerges, kCounters };

  Worker(PoolState& state, unsigned index) : state_(state), index_(index) {}

  /// The next task that nobody has taken, in order; nothing when there is none left.
  std::optional<std::size_t> next();
  /// Takes a task out of its turn; false if it is done, or another worker has taken it.
  bool take(std::size_t task);
  bool is_done(std::size_t task) const;
  /// The tasks' result is on disk under its final name. A task that was taken and is not done when its worker
  /// dies is given to another. Notes the memory that the process has now.
  void done(std::span<const std::size_t> tasks);
  void done(std::size_t task) { done({&task, 1}); }

  void add(Counter counter, std::uint64_t amount);
  void set(Counter counter, std::uint64_t value);
  unsigned index() const { return index_; }

 private:
  PoolState& state_;
  unsigned index_;
};

struct PoolOptions {
  std::string stage;  // its name in progress and reports
  unsigned jobs = 1;  // processes at once
  std::size_t tasks = 0;
  std::uint64_t total = 0;  // of `progress_counter`, for the progress
  Worker::Counter progress_counter = Worker::kBytes;
  ProgressSink progress;
  /// Which tasks are done already, by what lies on disk. Asked at the beginning, and when a worker has died.
  std::function<std::vector<bool>()> find_done;
  /// A task, for messages: "range 7 (corpus.txt, bytes 0 to 1000)".
  std::function<std::string(std::size_t)> describe;
};

struct PoolResult {
  std::uint64_t counters[Worker::kCounters] = {};
  /// Of all processes together: as seen ten times a second, and as workers report it with each task.
  std::uint64_t peak_memory = 0;
  double seconds = 0;
};

/// Runs `body` in forked processes until all tasks are done. `body` takes tasks from its Worker until there
/// are none.
///
/// An exception in a worker ends the pool with an Error of the same words. A worker that dies otherwise is
/// replaced, and its tasks are given out again; a task that has killed three workers is an Error that names
/// it. SIGINT and SIGTERM end the workers and throw Interrupted. Must not be called while this process has
/// threads.
PoolResult run_pool(const PoolOptions& options, const std::function<void(Worker&)>& body);

}  // namespace tokmill
