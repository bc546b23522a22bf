// A stretch of a file mapped into memory for reading.
#pragma once

#include <boost/interprocess/mapped_region.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "io/file.h"

namespace tokmill {

/// A read-only mapping of bytes [begin, end) of a file, with readable bytes after its end.
///
/// If the file is made shorter while it is mapped, touching the lost pages raises SIGBUS; workers turn that
/// into an error that names the file (see `path_of_address`).
class MappedFile {
 public:
  /// At least this many bytes after the end may be read; what they hold does not matter.
  static constexpr std::size_t kSlack = 4096;

  /// Throws Error if the file cannot be mapped or is no longer the one `expected`.
  MappedFile(const std::string& path, const FileIdentity& expected, std::uint64_t begin, std::uint64_t end);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  /// The bytes; valid as long as this object.
  std::string_view bytes() const { return bytes_; }

  /// The path of the file mapped at an address in this process, or nullptr. Safe to call in a signal handler.
  static const char* path_of_address(const void* address);

 private:
  std::string path_;
  void* ground_;  // zero pages below and beyond the file's own
  std::size_t ground_size_;
  boost::interprocess::mapped_region region_;
  std::string_view bytes_;
  MappedFile* next_;  // all mappings of the process, for path_of_address
};

}  // namespace tokmill
