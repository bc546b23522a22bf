// The parts of a stage that one process does alone: what each of them takes.
#pragma once

#include <boost/json/array.hpp>
#include <chrono>
#include <string>
#include <vector>

#include "pipeline/run_options.h"

namespace tokmill {

/// A part may come several times: its times add up. Its memory is the most that this process had when it
/// ended.
class PartClock {
 public:
  /// Ends the part before, if one has not ended.
  void begin(const std::string& name);
  void end();

  /// In the order in which they first began; the last one must have ended.
  const std::vector<StageCost>& parts() const { return parts_; }

  /// How a worker tells its supervisor.
  static boost::json::array to_json(const std::vector<StageCost>& parts);
  static std::vector<StageCost> from_json(const boost::json::array& list);

 private:
  static constexpr std::size_t kNone = SIZE_MAX;

  std::vector<StageCost> parts_;
  std::size_t current_ = kNone;
  std::chrono::steady_clock::time_point began_;
};

}  // namespace tokmill
