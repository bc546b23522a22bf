#include "progress_printer.h"

#include <unistd.h>

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cstdio>

#include "io/error.h"
#include "io/memory.h"

namespace tokmill::tools {

namespace {

constexpr double kLineEvery = 10;  // seconds
constexpr int kBarWidth = 30;

double share(const Progress& p) {
  if (p.total == 0) return p.finished ? 1 : 0;
  return std::min(1.0, static_cast<double>(p.done) / static_cast<double>(p.total));
}

double seconds_left(const Progress& p) {
  return share(p) > 0 ? p.seconds * (1 - share(p)) / share(p) : 0;
}

std::string spell_amount(const Progress& p, std::uint64_t amount) {
  return p.unit == "B" ? spell_size(amount) : std::to_string(amount) + " " + p.unit;
}

std::string spell_rate(const Progress& p) {
  const double rate = p.seconds > 0 ? static_cast<double>(p.done) / p.seconds : 0;
  char text[64];
  std::snprintf(text, sizeof text, p.unit == "B" ? "%.0f MB/s" : "%.0f/s", p.unit == "B" ? rate / 1e6 : rate);
  return text;
}

std::string spell_time(double seconds) {
  const auto whole = static_cast<long>(seconds);
  char text[32];
  std::snprintf(text, sizeof text, "%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60, whole % 60);
  return text;
}

// "encode   52%  310.2 MiB of 596.0 MiB, 640 MB/s, 0:00:01 left"
std::string describe(const Progress& p) {
  char head[64];
  std::snprintf(head, sizeof head, "%-7s %3.0f%%  ", p.stage.c_str(), 100 * share(p));
  std::string text = head + spell_amount(p, p.done);
  if (p.finished) {
    char time[32];
    std::snprintf(time, sizeof time, " in %.2f s", p.seconds);
    return text + time + ", " + spell_rate(p);
  }
  return text + " of " + spell_amount(p, p.total) + ", " + spell_rate(p) + ", " +
         spell_time(seconds_left(p)) + " left";
}

void show_bar(const Progress& p) {
  const int full = static_cast<int>(share(p) * kBarWidth);
  const std::string bar = std::string(full, '#') + std::string(kBarWidth - full, '.');
  std::fprintf(stderr, "\r[%s] %s\033[K%s", bar.c_str(), describe(p).c_str(), p.finished ? "\n" : "");
  std::fflush(stderr);
}

// Calls `print` for what deserves a line.
template <class Print>
ProgressSink by_lines(Print print) {
  return [print, stage = std::string(), next = kLineEvery](const Progress& p) mutable {
    if (stage != p.stage) stage = p.stage, next = kLineEvery;
    if (!p.finished && p.seconds < next) return;
    next += kLineEvery;
    print(p);
  };
}

}  // namespace

ProgressSink make_progress_printer(const std::string& how) {
  if (how == "none") return {};
  if (how == "bar" || (how == "auto" && ::isatty(STDERR_FILENO))) return show_bar;
  if (how == "plain" || how == "auto") {
    return by_lines([](const Progress& p) { std::fprintf(stderr, "%s\n", describe(p).c_str()); });
  }
  if (how != "json") throw UsageError("--progress " + how + ": use auto, bar, plain, json or none");
  return by_lines([](const Progress& p) {
    const boost::json::object line{{"stage", p.stage},      {"unit", p.unit},
                                   {"done", p.done},        {"total", p.total},
                                   {"seconds", p.seconds},  {"seconds_left", seconds_left(p)},
                                   {"finished", p.finished}};
    std::fprintf(stderr, "%s\n", boost::json::serialize(line).c_str());
  });
}

}  // namespace tokmill::tools
