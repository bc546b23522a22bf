// The errors that tokmill's library throws. It never prints, exits or aborts.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace tokmill {

/// Something about the input, the output or the machine makes it impossible to go on. `what()` is one
/// line that names the place (path, and offset or line where there is one), what is wrong, what to do.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;

  /// "PATH: WHAT"
  static Error at(const std::string& path, const std::string& what);
  /// "PATH: byte OFFSET: WHAT"
  static Error at(const std::string& path, std::uint64_t offset, const std::string& what);
  /// "PATH: WHAT: the system's words for ERROR_NUMBER"
  static Error system(const std::string& path, const std::string& what, int error_number);
};

/// What was asked for makes no sense, whatever the input; the program exits with 2.
class UsageError : public Error {
 public:
  using Error::Error;
};

/// The run was interrupted (SIGINT, SIGTERM) and can go on later; the program exits with 75.
class Interrupted : public Error {
 public:
  using Error::Error;
};

}  // namespace tokmill
