// Where a run keeps what it needs to go on after it was stopped.
//
//   run.json   what is being run: program version, inputs (path, size, mtime), options that matter
//   lock       held while a process works here
//
// and the files of the stages.
#pragma once

#include <boost/json/object.hpp>
#include <string>

#include "io/file_lock.h"

namespace tokmill {

/// The version of the program, "0.1.0".
std::string version();

/// A directory that belongs to one run. It stays when the run fails half-way, and is removed when the run is
/// done.
class RunDirectory {
 public:
  /// Makes the directory, or enters the one that an earlier attempt at the same run left. Throws Error where
  /// it belongs to another run, or where another process is at work in it: the workers of one that was killed
  /// may be for a moment, and are waited for.
  RunDirectory(const std::string& path, const boost::json::object& run);
  RunDirectory(const RunDirectory&) = delete;
  RunDirectory& operator=(const RunDirectory&) = delete;
  /// Without `finish`: removes half-written files, and the directory if it holds no results.
  ~RunDirectory();

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  /// Whether an earlier attempt left it.
  bool resumed() const { return resumed_; }
  /// The run is done: removes the directory.
  void finish();

 private:
  std::string path_;
  bool resumed_ = false;
  bool finished_ = false;
  FileLock lock_;
};

/// The place of a run directory for an output: inside `tmp` under a name made from the output's path, or, if
/// `tmp` is empty, `beside`.
std::string run_directory_path(const std::string& tmp, const std::string& output, const std::string& beside);

/// Removes the directory of a run whose results are all there: one that was killed in its last moment leaves
/// it behind.
void remove_finished_run(const std::string& path);

/// Removes the `.partial` files in a directory (not below it).
void remove_partial_files(const std::string& directory);

/// How a run describes itself: compared when it is resumed, and kept with the result.
boost::json::object describe_run(const std::string& verb, boost::json::array inputs,
                                 boost::json::object options);

}  // namespace tokmill
