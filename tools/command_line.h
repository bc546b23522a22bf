// The command line of a verb: its options, its help, and the options that all verbs share.
#pragma once

#include <boost/program_options.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/run_options.h"

namespace tokmill::tools {

/// Text sizes and the like are taken as strings and read by io/memory.h, so that they may have a unit.
class CommandLine {
 public:
  /// `usage` without the program's name; `summary` and `example` for the help.
  CommandLine(std::string usage, std::string summary, std::string example);

  /// Adds a flag, or an option with a value, which the help calls `value_name`. `what` says the unit and the
  /// default.
  CommandLine& flag(const char* name, const char* what);
  CommandLine& value(const char* name, const char* value_name, const char* what);
  /// An option that may be given several times.
  CommandLine& values(const char* name, const char* value_name, const char* what);
  /// An option that takes all the values that follow it.
  CommandLine& list(const char* name, const char* value_name, const char* what);
  /// The options of a verb that runs workers: jobs, memory, tmp, progress, json, quiet.
  CommandLine& run_options();
  CommandLine& report_options();

  /// False if help was asked for (it has been printed). Throws UsageError.
  bool parse(const std::vector<std::string>& arguments);

  /// What stands without an option; a UsageError that asks for `what` if there is nothing.
  std::vector<std::string> operands(const char* what) const;
  std::string operand(const char* what) const;

  bool has(const char* name) const { return values_.count(name) > 0; }
  std::string text(const char* name, const std::string& fallback) const;
  std::string required(const char* name) const;
  std::vector<std::string> texts(const char* name) const;
  /// A whole number from `least` to `most`.
  std::uint64_t number(const char* name, std::uint64_t fallback, std::uint64_t least,
                       std::uint64_t most) const;
  int level(const char* name, int fallback) const;
  std::uint64_t size(const char* name, std::uint64_t fallback) const;
  /// A time as 90, 90s, 1.5m, 2h, or "off", which is 0.
  double seconds(const char* name, double fallback) const;

  /// Reads what `run_options` added; progress goes to standard error.
  RunOptions run() const;
  bool json() const { return has("json"); }
  bool quiet() const { return has("quiet"); }

 private:
  std::string usage_, summary_, example_;
  boost::program_options::options_description own_{"Options"}, shared_{"Options of all verbs"};
  boost::program_options::variables_map values_;
};

}  // namespace tokmill::tools
