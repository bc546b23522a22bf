// The parent only supervises: it forks, watches, and reports. What workers and parent share lies in anonymous
// shared memory: the state of each task, the counters, and the words of a worker that fails. Workers take
// tasks themselves, so nobody waits for the parent.
#include "pipeline/worker_pool.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <boost/interprocess/anonymous_shared_memory.hpp>
#include <boost/interprocess/mapped_region.hpp>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <map>
#include <new>

#include "io/error.h"
#include "io/mapped_file.h"
#include "io/memory.h"

namespace tokmill {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kFailed = 1;     // a worker's exit code: its message says why
constexpr int kUsage = 2;      // the same, and what was asked for makes no sense
constexpr int kMaxDeaths = 3;  // of one task's workers
constexpr long kPollNs = 100'000'000;
constexpr std::size_t kMessageBytes = 4000;

// A task waits, is done, or is somebody's. One number says all, so that a worker that takes a task owns it at
// once: were the parent to look between the two, it might give the task out again, to be done twice.
using TaskState = std::uint32_t;
constexpr TaskState kWaiting = 0, kDone = 1;
constexpr TaskState taken_by(unsigned worker) {
  return worker + 2;
}
using SharedTask = std::atomic<TaskState>;

struct SharedWorker {
  std::atomic<std::uint64_t> current{UINT64_MAX};  // the task it took last
  std::atomic<std::uint64_t> memory{0};            // the most it had when it finished a task
  char message[kMessageBytes] = {};
};

sigset_t interrupts() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

}  // namespace

struct PoolState {
  std::size_t task_count = 0;
  std::atomic<std::size_t> first_waiting{0};  // no task before it is waiting
  std::atomic<std::uint64_t> counters[Worker::kCounters] = {};
  SharedTask* tasks = nullptr;
  SharedWorker* workers = nullptr;
};

std::optional<std::size_t> Worker::next() {
  for (std::size_t i = state_.first_waiting.load(); i < state_.task_count; ++i) {
    if (!take(i)) continue;
    std::size_t seen = i;  // overwritten where another worker was faster
    state_.first_waiting.compare_exchange_strong(seen, i + 1);
    return i;
  }
  return std::nullopt;
}

bool Worker::take(std::size_t task) {
  TaskState expected = kWaiting;
  if (!state_.tasks[task].compare_exchange_strong(expected, taken_by(index_))) return false;
  state_.workers[index_].current = task;
  return true;
}

bool Worker::is_done(std::size_t task) const {
  return state_.tasks[task] == kDone;
}

void Worker::done(std::span<const std::size_t> tasks) {
  for (const std::size_t task : tasks) state_.tasks[task] = kDone;
  auto& memory = state_.workers[index_].memory;
  memory = std::max(memory.load(), own_memory());
}
void Worker::add(Counter counter, std::uint64_t amount) {
  state_.counters[counter] += amount;
}
void Worker::set(Counter counter, std::uint64_t value) {
  state_.counters[counter] = value;
}

InterruptGuard::InterruptGuard() {
  const sigset_t set = interrupts();
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
}

InterruptGuard::~InterruptGuard() {
  const sigset_t set = interrupts();
  const timespec at_once{0, 0};
  // The run is over: a signal that comes too late, or a second one, must not end the process otherwise.
  while (::sigtimedwait(&set, nullptr, &at_once) > 0) continue;
  ::sigprocmask(SIG_UNBLOCK, &set, nullptr);
}

void InterruptGuard::check() {
  const sigset_t set = interrupts();
  const timespec at_once{0, 0};
  if (::sigtimedwait(&set, nullptr, &at_once) > 0) throw Interrupted("interrupted");
}

namespace {

SharedWorker* this_worker = nullptr;  // in a worker's process

void say(std::string_view message) {
  const std::size_t length = std::min(message.size(), kMessageBytes - 1);
  std::memcpy(this_worker->message, message.data(), length);
  this_worker->message[length] = '\0';
}

// A mapped file became shorter, and the pages are gone.
extern "C" void on_bus_error(int, siginfo_t* info, void*) {
  const char* path = MappedFile::path_of_address(info->si_addr);
  if (path == nullptr) {
    ::signal(SIGBUS, SIG_DFL);
    return;  // the fault comes again, and ends the process
  }
  std::size_t length = std::min(std::strlen(path), kMessageBytes / 2);
  char* out = this_worker->message;
  std::memcpy(out, path, length);
  constexpr char kWhat[] = ": became shorter while it was read; run again when nothing writes to it";
  std::memcpy(out + length, kWhat, sizeof kWhat);
  ::_exit(kFailed);
}

[[noreturn]] void work(PoolState& state, unsigned index, pid_t parent,
                       const std::function<void(Worker&)>& body) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // a worker does not outlive the run
  if (::getppid() != parent) ::_exit(kFailed);
  this_worker = &state.workers[index];
  ::signal(SIGINT, SIG_IGN);  // the terminal sends it to all; the parent decides
  ::signal(SIGTERM, SIG_DFL);
  struct sigaction action {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGBUS, &action, nullptr);
  sigset_t all;
  sigemptyset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  try {
    Worker worker(state, index);
    body(worker);
    ::_exit(0);
  } catch (const UsageError& error) {
    say(error.what());
    ::_exit(kUsage);
  } catch (const std::bad_alloc&) {
    say("out of memory; give fewer --jobs, or a smaller --memory");
    ::_exit(kFailed);
  } catch (const std::exception& error) {
    say(error.what());
    ::_exit(kFailed);
  }
}

class Pool {
 public:
  Pool(const PoolOptions& options, const std::function<void(Worker&)>& body)
      : options_(options), body_(body), began_(Clock::now()) {
    const unsigned workers = std::max(1u, options.jobs);
    const std::size_t tasks_at = 4096,
                      workers_at = tasks_at + (options.tasks + 1) * sizeof(SharedTask) / 64 * 64 + 64;
    memory_ = boost::interprocess::anonymous_shared_memory(workers_at + workers * sizeof(SharedWorker));
    char* base = static_cast<char*>(memory_.get_address());
    state_ = new (base) PoolState;
    state_->task_count = options.tasks;
    state_->tasks = new (base + tasks_at) SharedTask[options.tasks + 1];
    state_->workers = new (base + workers_at) SharedWorker[workers];
    deaths_.resize(options.tasks);
    if (options_.find_done) mark_done(options_.find_done());
  }

  ~Pool() { end_workers(); }

  PoolResult run() {
    sigset_t watched = interrupts(), before;
    sigaddset(&watched, SIGCHLD);
    ::sigprocmask(SIG_BLOCK, &watched, &before);
    try {
      supervise(watched);
    } catch (...) {
      end_workers();
      ::sigprocmask(SIG_SETMASK, &before, nullptr);
      throw;
    }
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    report(true);
    std::uint64_t memory = own_memory();  // a short run has ended before anyone looked
    for (unsigned i = 0; i < std::max(1u, options_.jobs); ++i) memory += state_->workers[i].memory;
    PoolResult result;
    for (int i = 0; i < Worker::kCounters; ++i) result.counters[i] = state_->counters[i];
    result.peak_memory = std::max(peak_memory_, memory);
    result.seconds = seconds();
    return result;
  }

 private:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - began_).count(); }

  void supervise(const sigset_t& watched) {
    const std::size_t waiting = count_waiting();
    for (unsigned i = 0; i < std::min<std::size_t>(std::max(1u, options_.jobs), waiting); ++i) start(i);
    while (!running_.empty()) {
      const timespec poll{0, kPollNs};
      const int signal = ::sigtimedwait(&watched, nullptr, &poll);
      if (signal == SIGINT || signal == SIGTERM) throw Interrupted("interrupted");
      sample_memory();
      for (int status; !running_.empty();) {
        const pid_t pid = ::waitpid(-1, &status, WNOHANG);
        if (pid <= 0) break;
        const auto found = running_.find(pid);
        if (found == running_.end()) continue;
        const unsigned index = found->second;
        running_.erase(found);
        ended(index, status);
      }
      report(false);
    }
  }

  std::size_t count_waiting() const {
    std::size_t waiting = 0;
    for (std::size_t i = 0; i < options_.tasks; ++i) waiting += state_->tasks[i] == kWaiting;
    return waiting;
  }

  void start(unsigned index) {
    state_->workers[index].current = UINT64_MAX;
    const pid_t parent = ::getpid();
    const pid_t pid = ::fork();
    if (pid < 0) throw Error::system("a worker process", "cannot be started", errno);
    if (pid == 0) work(*state_, index, parent, body_);
    running_[pid] = index;
  }

  void ended(unsigned index, int status) {
    SharedWorker& worker = state_->workers[index];
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
    if (WIFEXITED(status) && worker.message[0] != '\0') {
      if (WEXITSTATUS(status) == kUsage) throw UsageError(worker.message);
      throw Error(worker.message);
    }
    const std::size_t current = worker.current;
    if (current < options_.tasks && ++deaths_[current] >= kMaxDeaths) {
      const std::string task =
          options_.describe ? options_.describe(current) : "task " + std::to_string(current);
      throw Error(task + ": its worker died " + std::to_string(kMaxDeaths) + " times, the last time " +
                  cause(status));
    }
    if (current >= options_.tasks && ++early_deaths_ >= kMaxDeaths) {
      throw Error(options_.stage + ": workers die before they begin, the last one " + cause(status));
    }
    if (options_.find_done) mark_done(options_.find_done());
    for (std::size_t i = 0; i < options_.tasks; ++i) {
      TaskState expected = taken_by(index);
      state_->tasks[i].compare_exchange_strong(expected, kWaiting);
    }
    state_->first_waiting = 0;
    start(index);
  }

  static std::string cause(int status) {
    if (WIFEXITED(status)) return "with exit code " + std::to_string(WEXITSTATUS(status));
    const int signal = WTERMSIG(status);
    std::string text = "of signal " + std::to_string(signal) + " (" + ::strsignal(signal) + ")";
    if (signal == SIGKILL) text += ", perhaps for lack of memory: give fewer --jobs";
    return text;
  }

  void mark_done(const std::vector<bool>& done) {
    for (std::size_t i = 0; i < done.size(); ++i) {
      if (done[i]) state_->tasks[i] = kDone;
    }
  }

  void sample_memory() {
    std::uint64_t total = own_memory();
    for (const auto& [pid, index] : running_) total += own_memory(pid);
    peak_memory_ = std::max(peak_memory_, total);
  }

  void report(bool finished) {
    if (!options_.progress) return;
    const bool bytes = options_.progress_counter == Worker::kBytes;
    options_.progress({options_.stage, bytes ? "B" : "merges", state_->counters[options_.progress_counter],
                       options_.total, seconds(), finished});
  }

  void end_workers() {
    for (const auto& [pid, index] : running_) ::kill(pid, SIGKILL);
    for (const auto& [pid, index] : running_) ::waitpid(pid, nullptr, 0);
    running_.clear();
  }

  const PoolOptions& options_;
  const std::function<void(Worker&)>& body_;
  Clock::time_point began_;
  boost::interprocess::mapped_region memory_;
  PoolState* state_;
  std::map<pid_t, unsigned> running_;
  std::vector<int> deaths_;  // by task
  int early_deaths_ = 0;
  std::uint64_t peak_memory_ = 0;
};

}  // namespace

PoolResult run_pool(const PoolOptions& options, const std::function<void(Worker&)>& body) {
  return Pool(options, body).run();
}

}  // namespace tokmill
