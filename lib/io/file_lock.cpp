#include "io/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <thread>

#include "io/error.h"

namespace tokmill {

namespace {

constexpr std::chrono::milliseconds kBetweenTries{5};

bool is_at(int fd, const std::string& path) {
  struct stat opened, named;
  return ::fstat(fd, &opened) == 0 && ::stat(path.c_str(), &named) == 0 && opened.st_ino == named.st_ino &&
         opened.st_dev == named.st_dev;
}

}  // namespace

FileLock::~FileLock() {
  if (fd_ >= 0) ::close(fd_);
}

FileLock FileLock::take(const std::string& path, std::chrono::milliseconds patience) {
  FileLock lock;
  lock.fd_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock.fd_ < 0) throw Error::system(path, "cannot be opened", errno);
  const auto end = std::chrono::steady_clock::now() + patience;
  while (::flock(lock.fd_, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) throw Error::system(path, "cannot be locked", errno);
    if (std::chrono::steady_clock::now() >= end) return {};
    std::this_thread::sleep_for(kBetweenTries);
  }
  if (!is_at(lock.fd_, path)) return {};
  return lock;
}

}  // namespace tokmill
