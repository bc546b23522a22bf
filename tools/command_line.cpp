#include "command_line.h"

#include <charconv>
#include <iostream>

#include "io/error.h"
#include "io/memory.h"
#include "progress_printer.h"

namespace tokmill::tools {

namespace po = boost::program_options;

namespace {
using Strings = std::vector<std::string>;
constexpr char kOperands[] = "operands";
constexpr unsigned kMostJobs = 4096;
}  // namespace

CommandLine::CommandLine(std::string usage, std::string summary, std::string example)
    : usage_(std::move(usage)), summary_(std::move(summary)), example_(std::move(example)) {
  shared_.add_options()("help,h", "print this help");
}

CommandLine& CommandLine::flag(const char* name, const char* what) {
  own_.add_options()(name, what);
  return *this;
}

CommandLine& CommandLine::value(const char* name, const char* value_name, const char* what) {
  own_.add_options()(name, po::value<std::string>()->value_name(value_name), what);
  return *this;
}

CommandLine& CommandLine::values(const char* name, const char* value_name, const char* what) {
  own_.add_options()(name, po::value<Strings>()->composing()->value_name(value_name), what);
  return *this;
}

CommandLine& CommandLine::list(const char* name, const char* value_name, const char* what) {
  const std::string several = std::string(value_name) + "...";
  own_.add_options()(name, po::value<Strings>()->composing()->multitoken()->value_name(several), what);
  return *this;
}

CommandLine& CommandLine::report_options() {
  shared_.add_options()("json", "print the final report as JSON on standard output")(
      "quiet", "print neither progress nor a report");
  return *this;
}

CommandLine& CommandLine::run_options() {
  shared_.add_options()("jobs,j", po::value<std::string>()->value_name("N"),
                        "worker processes (default: the cores this process may use)")(
      "memory,S", po::value<std::string>()->value_name("SIZE"),
      "memory for all processes together, which they keep to: bytes as 8G, or a share as 80% (default 80%); "
      "mapped text does "
      "not count. Less of it takes more time and gives the same bytes")(
      "tmp,T", po::value<std::string>()->value_name("DIR"),
      "directory for intermediate files (default: beside the output)")(
      "progress", po::value<std::string>()->value_name("HOW"),
      "progress on standard error: auto, bar, plain, json, none (default auto)");
  return report_options();
}

bool CommandLine::parse(const Strings& arguments) {
  po::options_description all;
  all.add(own_).add(shared_);
  po::options_description hidden;
  hidden.add_options()(kOperands, po::value<Strings>());
  po::options_description known;
  known.add(all).add(hidden);
  po::positional_options_description positions;
  positions.add(kOperands, -1);
  try {
    using namespace po::command_line_style;
    const int style = unix_style & ~allow_guessing;
    po::store(po::command_line_parser(arguments).options(known).positional(positions).style(style).run(),
              values_);
    po::notify(values_);
  } catch (const po::error& error) {
    throw UsageError(error.what());
  }
  if (!has("help")) return true;
  std::cout << "usage: tokmill " << usage_ << "\n\n"
            << summary_ << "\n\n"
            << all << "\nExample:\n  " << example_ << "\n";
  return false;
}

Strings CommandLine::operands(const char* what) const {
  if (!has(kOperands)) throw UsageError(std::string(what) + " is missing; usage: tokmill " + usage_);
  return values_[kOperands].as<Strings>();
}

std::string CommandLine::operand(const char* what) const {
  const Strings all = operands(what);
  if (all.size() > 1)
    throw UsageError("only one " + std::string(what) + " can be given; '" + all[1] + "' is too much");
  return all.front();
}

std::string CommandLine::text(const char* name, const std::string& fallback) const {
  return has(name) ? values_[name].as<std::string>() : fallback;
}

std::string CommandLine::required(const char* name) const {
  if (!has(name)) throw UsageError("--" + std::string(name) + " is missing; usage: tokmill " + usage_);
  return values_[name].as<std::string>();
}

Strings CommandLine::texts(const char* name) const {
  return has(name) ? values_[name].as<Strings>() : Strings();
}

std::uint64_t CommandLine::number(const char* name, std::uint64_t fallback, std::uint64_t least,
                                  std::uint64_t most) const {
  if (!has(name)) return fallback;
  const std::string value = text(name, "");
  std::uint64_t number = 0;
  const auto [end, failure] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (failure != std::errc() || end != value.data() + value.size() || number < least || number > most) {
    throw UsageError("--" + std::string(name) + " " + value + ": give a whole number from " +
                     std::to_string(least) + " to " + std::to_string(most));
  }
  return number;
}

int CommandLine::level(const char* name, int fallback) const {
  const std::string value = text(name, std::to_string(fallback));
  int level = 0;
  const auto [end, failure] = std::from_chars(value.data(), value.data() + value.size(), level);
  if (failure != std::errc() || end != value.data() + value.size() || level < -7 || level > 19) {
    throw UsageError("--" + std::string(name) + " " + value + ": give a whole number from -7 to 19");
  }
  return level;
}

std::uint64_t CommandLine::size(const char* name, std::uint64_t fallback) const {
  if (!has(name)) return fallback;
  const std::uint64_t bytes = parse_size(text(name, ""));
  if (bytes == 0) throw UsageError("--" + std::string(name) + " must not be 0");
  return bytes;
}

double CommandLine::seconds(const char* name, double fallback) const {
  if (!has(name)) return fallback;
  const std::string value = text(name, "");
  if (value == "off") return 0;
  double number = 0;
  const auto [end, failure] = std::from_chars(value.data(), value.data() + value.size(), number);
  const std::string unit(end, value.data() + value.size());
  const double factor = unit.empty() || unit == "s" ? 1 : unit == "m" ? 60 : unit == "h" ? 3600 : -1;
  if (failure != std::errc() || factor < 0 || !(number >= 0) || number > 1e9) {
    throw UsageError("--" + std::string(name) + " " + value + ": give a time as 90s, 10m, 1h, or off");
  }
  return number * factor;
}

RunOptions CommandLine::run() const {
  RunOptions options;
  options.jobs = static_cast<unsigned>(number("jobs", available_cores(), 1, kMostJobs));
  options.memory = parse_memory(text("memory", "80%"));
  options.tmp = text("tmp", "");
  options.progress = make_progress_printer(quiet() ? "none" : text("progress", "auto"));
  return options;
}

}  // namespace tokmill::tools
