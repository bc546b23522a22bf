// Files that appear under their name only when they are whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "io/checksum.h"

namespace tokmill {

/// Writes to `PATH.partial` and renames it to PATH at `commit`. Destroyed without a commit it removes what it
/// wrote; a process that is killed leaves the `.partial`, which the next attempt overwrites.
class AtomicFile {
 public:
  static constexpr char kSuffix[] = ".partial";

  explicit AtomicFile(const std::string& path);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  void append(std::string_view bytes);
  /// Renames. Nothing may be appended afterwards. Whether the bytes survive a power cut is left to the file
  /// system; a resumed run checks what it finds.
  void commit();

  /// Bytes appended so far, and their checksum.
  std::uint64_t size() const { return size_; }
  std::uint64_t checksum() const { return checksum_.value(); }
  const std::string& path() const { return path_; }

 private:
  void write_out(std::string_view bytes);

  std::string path_;
  std::string buffer_;
  Checksum checksum_;
  std::uint64_t size_ = 0;
  int fd_;
};

/// Writes a whole file atomically.
void write_file(const std::string& path, std::string_view bytes);

/// Makes the directory and its parents; nothing if it is there.
void make_directories(const std::string& path);

}  // namespace tokmill
