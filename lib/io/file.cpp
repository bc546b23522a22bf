#include "io/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "io/error.h"

namespace tokmill {

namespace {
constexpr std::size_t kSlack = 64;  // room behind what is read: simdjson then parses it where it is
}

File::File(const std::string& path) : path_(path), fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (fd_ < 0) throw Error::system(path, "cannot be opened", errno);
}

File::~File() {
  if (fd_ >= 0) ::close(fd_);
}

FileIdentity File::identity() const {
  struct stat status;
  if (::fstat(fd_, &status) != 0) throw Error::system(path_, "cannot be examined", errno);
  if (S_ISDIR(status.st_mode)) throw Error::at(path_, "is a directory, not a file");
  return {static_cast<std::uint64_t>(status.st_size),
          std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec};
}

void File::read_at(std::uint64_t offset, char* out, std::size_t length) const {
  while (length > 0) {
    const ssize_t got = ::pread(fd_, out, length, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw Error::system(path_, "cannot be read at byte " + std::to_string(offset), errno);
    if (got == 0) throw Error::at(path_, offset, "the file ends here, too early: it was cut short");
    out += got;
    offset += static_cast<std::uint64_t>(got);
    length -= static_cast<std::size_t>(got);
  }
}

std::string File::read_at(std::uint64_t offset, std::size_t length) const {
  std::string bytes;
  bytes.reserve(length + kSlack);
  bytes.resize(length);
  read_at(offset, bytes.data(), length);
  return bytes;
}

std::string read_file(const std::string& path) {
  const File file(path);
  return file.read_at(0, file.size());
}

void remove_file(const std::string& path) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) throw Error::system(path, "cannot be removed", errno);
}

}  // namespace tokmill
