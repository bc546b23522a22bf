#include "io/atomic_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "io/error.h"

namespace tokmill {

namespace {
constexpr std::size_t kBuffer = 1 << 18;
}

AtomicFile::AtomicFile(const std::string& path) : path_(path) {
  const std::string partial = path_ + kSuffix;
  fd_ = ::open(partial.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd_ < 0) throw Error::system(partial, "cannot be written", errno);
  buffer_.reserve(kBuffer);
}

AtomicFile::~AtomicFile() {
  if (fd_ < 0) return;
  ::close(fd_);
  ::unlink((path_ + kSuffix).c_str());
}

void AtomicFile::append(std::string_view bytes) {
  checksum_.update(bytes);
  size_ += bytes.size();
  if (buffer_.size() + bytes.size() > kBuffer) {
    write_out(buffer_);
    buffer_.clear();
  }
  if (bytes.size() > kBuffer) {
    write_out(bytes);
  } else {
    buffer_.append(bytes);
  }
}

void AtomicFile::write_out(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw Error::system(path_, "cannot be written", errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void AtomicFile::commit() {
  write_out(buffer_);
  buffer_.clear();
  const std::string partial = path_ + kSuffix;
  const int fd = fd_;
  fd_ = -1;
  if (::close(fd) != 0 || std::rename(partial.c_str(), path_.c_str()) != 0) {
    const int reason = errno;
    ::unlink(partial.c_str());
    throw Error::system(path_, "cannot be written", reason);
  }
}

void write_file(const std::string& path, std::string_view bytes) {
  AtomicFile file(path);
  file.append(bytes);
  file.commit();
}

void make_directories(const std::string& path) {
  std::error_code failure;
  std::filesystem::create_directories(path, failure);
  if (failure) throw Error::at(path, "the directory cannot be made: " + failure.message());
}

}  // namespace tokmill
