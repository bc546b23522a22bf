// The files that a corpus is made of.
#pragma once

#include <boost/json/array.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "io/file.h"

namespace tokmill {

/// Input files in a fixed order, as they were when the run began.
struct Corpus {
  struct Input {
    std::string path;
    FileIdentity identity;
  };
  std::vector<Input> inputs;

  std::uint64_t bytes() const;
  /// [path, size, mtime in ns] for each file: what a resumed run compares.
  boost::json::array to_json() const;
};

/// Finds the files that arguments name: a file, a directory (all files below it, sorted by path), a glob, or
/// @LIST (a file with an argument on each line). Throws Error where there is no such file, or one is of a
/// kind not read yet.
Corpus find_corpus(const std::vector<std::string>& arguments);

}  // namespace tokmill
