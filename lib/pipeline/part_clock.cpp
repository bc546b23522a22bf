#include "pipeline/part_clock.h"

#include <algorithm>
#include <boost/json/value_to.hpp>

#include "io/memory.h"

namespace tokmill {

namespace json = boost::json;

void PartClock::begin(const std::string& name) {
  end();
  auto part = std::ranges::find(parts_, name, &StageCost::name);
  if (part == parts_.end()) part = parts_.insert(part, StageCost{name});
  current_ = static_cast<std::size_t>(part - parts_.begin());
  began_ = std::chrono::steady_clock::now();
}

void PartClock::end() {
  if (current_ == kNone) return;
  StageCost& part = parts_[current_];
  part.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  part.peak_memory = std::max(part.peak_memory, own_memory());
  current_ = kNone;
}

json::array PartClock::to_json(const std::vector<StageCost>& parts) {
  json::array list;
  for (const StageCost& part : parts) {
    list.push_back({{"name", part.name}, {"seconds", part.seconds}, {"peak_memory", part.peak_memory}});
  }
  return list;
}

std::vector<StageCost> PartClock::from_json(const json::array& list) {
  std::vector<StageCost> parts;
  for (const json::value& part : list) {
    parts.push_back({json::value_to<std::string>(part.at("name")), part.at("seconds").to_number<double>(),
                     part.at("peak_memory").to_number<std::uint64_t>()});
  }
  return parts;
}

}  // namespace tokmill
