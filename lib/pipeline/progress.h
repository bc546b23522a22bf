// What a running pipeline tells of itself.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace tokmill {

struct Progress {
  std::string stage;
  std::string unit;        // of done and total: "B" or "merges"
  std::uint64_t done = 0;  // in this stage
  std::uint64_t total = 0;
  double seconds = 0;     // since the stage began
  bool finished = false;  // the stage's last report
};

/// Called from the supervising process about ten times a second; may be empty.
using ProgressSink = std::function<void(const Progress&)>;

}  // namespace tokmill
