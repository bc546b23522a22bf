#include "pipeline/run_directory.h"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <chrono>
#include <filesystem>
#include <utility>
#include <vector>

#include "format/json_text.h"
#include "io/atomic_file.h"
#include "io/checksum.h"
#include "io/error.h"
#include "io/file.h"

namespace tokmill {

namespace fs = std::filesystem;
namespace json = boost::json;

namespace {
constexpr char kRun[] = "run.json";
constexpr char kLock[] = "lock";
constexpr std::chrono::seconds kPatience{1};

// Whether a file's name is one that the stages use: others are never removed.
bool is_ours(const std::string& name) {
  constexpr std::array<std::string_view, 7> kBeginnings{"count-", "spill-",   "merged", "round-",
                                                        "shard-", "trained.", kRun};
  return std::ranges::any_of(kBeginnings, [&](std::string_view with) { return name.starts_with(with); });
}
}  // namespace

std::string version() {
  return TOKMILL_VERSION;
}

json::object describe_run(const std::string& verb, json::array inputs, json::object options) {
  return {
      {"tokmill", version()}, {"verb", verb}, {"inputs", std::move(inputs)}, {"options", std::move(options)}};
}

std::string run_directory_path(const std::string& tmp, const std::string& output, const std::string& beside) {
  if (tmp.empty()) return beside;
  const std::string absolute = fs::absolute(output).lexically_normal().string();
  return tmp + "/tokmill-" + spell_checksum(Checksum::of(absolute)).substr(5);
}

RunDirectory::RunDirectory(const std::string& path, const json::object& run) : path_(path) {
  make_directories(path_);
  lock_ = FileLock::take(file(kLock), kPatience);
  if (!lock_.held()) throw Error::at(path_, "another tokmill is at work on this run");
  resumed_ = fs::exists(file(kRun));
  if (!resumed_) {
    // What lies here all the same is left from a run that was killed while it removed the directory.
    for (const auto& entry : fs::directory_iterator(path_)) {
      const std::string name = entry.path().filename();
      if (name == kLock) continue;
      if (!is_ours(name)) throw Error::at(entry.path(), "is in the way of the run's own files; move it");
      fs::remove(entry.path());
    }
    write_file(file(kRun), to_sealed_text(run));
  } else if (open_sealed(read_file(file(kRun)), file(kRun)) != run) {
    throw Error::at(
        path_, "is left from a run with other inputs, options or version; remove it, or give another output");
  }
}

RunDirectory::~RunDirectory() {
  if (finished_) return;
  remove_partial_files(path_);
  std::error_code ignored;
  bool results = false;
  for (const auto& entry : fs::directory_iterator(path_, ignored)) {
    const std::string name = entry.path().filename();
    results = results || (name != kRun && name != kLock);
  }
  if (!results) fs::remove_all(path_, ignored);
}

void RunDirectory::finish() {
  finished_ = true;
  std::error_code failure;
  fs::remove_all(path_, failure);
  if (failure) throw Error::at(path_, "cannot be removed: " + failure.message());
}

void remove_finished_run(const std::string& path) {
  std::error_code ignored;
  fs::remove_all(path, ignored);
}

void remove_partial_files(const std::string& directory) {
  std::error_code ignored;
  std::vector<fs::path> partial;
  for (const auto& entry : fs::directory_iterator(directory, ignored)) {
    if (entry.path().extension() == AtomicFile::kSuffix) partial.push_back(entry.path());
  }
  for (const fs::path& path : partial) fs::remove(path, ignored);
}

}  // namespace tokmill
