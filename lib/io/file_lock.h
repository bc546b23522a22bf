// A lock that processes hold on a file.
#pragma once

#include <chrono>
#include <string>
#include <utility>

namespace tokmill {

/// Held by the process that took it and by all that it forks, until the last of them has ended or the object
/// is destroyed in each: so a lock whose process was killed is free when its children are gone, too.
class FileLock {
 public:
  /// Holds nothing.
  FileLock() = default;
  FileLock(FileLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileLock& operator=(FileLock&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileLock();

  /// Takes the lock on `path`, which is made if need be. Waits for it at most so long, and holds nothing if
  /// others keep it, or have removed the file when they were done. Throws Error where it cannot be locked.
  static FileLock take(const std::string& path, std::chrono::milliseconds patience);

  bool held() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

}  // namespace tokmill
