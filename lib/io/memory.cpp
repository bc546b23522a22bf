#include "io/memory.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <fstream>

#include "io/error.h"

namespace tokmill {

namespace {

constexpr std::string_view kUnits = "BKMGTP";

UsageError bad_size(std::string_view text) {
  return UsageError("'" + std::string(text) + "' is not a size; write bytes as 4096, 64K, 1.5G");
}

// A decimal number; not a number where the text is anything else.
double parse_number(std::string_view text) {
  double value;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  return failure == std::errc() && end == text.data() + text.size() ? value : NAN;
}

// The least limit of the cgroups (version 2, then 1) that hold this process.
std::uint64_t cgroup_limit() {
  std::uint64_t least = UINT64_MAX;
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool version2 = controllers.empty();
    if (!version2 && controllers.find("memory") == std::string::npos) continue;
    const std::string root = version2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
    const std::string name = version2 ? "/memory.max" : "/memory.limit_in_bytes";
    for (std::string group = line.substr(second + 1);; group.erase(group.rfind('/'))) {
      std::uint64_t limit;
      if (std::ifstream(root + group + name) >> limit) least = std::min(least, limit);
      if (group.find('/') == std::string::npos) break;
    }
  }
  return least;
}

}  // namespace

std::uint64_t parse_size(std::string_view text) {
  std::string_view number = text;
  std::uint64_t unit = 1;
  if (!number.empty()) {
    const char letter = static_cast<char>(number.back() & ~0x20);
    const std::size_t power = kUnits.find(letter);
    if (power != std::string_view::npos) {
      unit = std::uint64_t{1} << (10 * power);
      number.remove_suffix(1);
    }
  }
  const double bytes = parse_number(number) * static_cast<double>(unit);
  if (!(bytes >= 0) || bytes > 0x1p62) throw bad_size(text);
  return static_cast<std::uint64_t>(bytes);
}

std::uint64_t parse_memory(std::string_view text) {
  if (text.empty() || text.back() != '%') return parse_size(text);
  const double share = parse_number(text.substr(0, text.size() - 1));
  if (!(share >= 0)) throw bad_size(text);
  if (share > 100) throw UsageError("'" + std::string(text) + "' is more memory than there is");
  return static_cast<std::uint64_t>(share / 100 * static_cast<double>(available_memory()));
}

std::string spell_size(std::uint64_t bytes) {
  double value = static_cast<double>(bytes);
  std::size_t power = 0;
  for (; value >= 1023.95 && power + 1 < kUnits.size(); ++power) value /= 1024;
  char text[32];
  if (power == 0) {
    std::snprintf(text, sizeof text, "%.0f B", value);
  } else {
    std::snprintf(text, sizeof text, "%.1f %ciB", value, kUnits[power]);
  }
  return text;
}

std::uint64_t available_memory() {
  const auto pages = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES));
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return std::min(pages * page, cgroup_limit());
}

std::uint64_t own_memory(int pid) {
  std::ifstream status(pid == 0 ? "/proc/self/status" : "/proc/" + std::to_string(pid) + "/status");
  std::uint64_t total = 0;
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("RssAnon:") || line.starts_with("RssShmem:")) {
      total += std::stoull(line.substr(line.find(':') + 1)) * 1024;
    }
  }
  return total;
}

unsigned available_cores() {
  cpu_set_t cores;
  if (::sched_getaffinity(0, sizeof cores, &cores) == 0) return static_cast<unsigned>(CPU_COUNT(&cores));
  return static_cast<unsigned>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
}

}  // namespace tokmill
