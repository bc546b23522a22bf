#include "io/large_array.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "io/error.h"

namespace tokmill {

namespace {

int open_without_name(const std::string& directory) {
#ifdef O_TMPFILE
  const int file = ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR)) return file;
#endif
  std::string path = directory + "/words-XXXXXX";
  const int named = ::mkostemp(path.data(), O_CLOEXEC);
  if (named >= 0) ::unlink(path.c_str());
  return named;
}

}  // namespace

void* map_temporary_file(std::size_t bytes, const std::string& directory) {
  const int file = open_without_name(directory);
  if (file < 0) throw Error::system(directory, "a temporary file cannot be made here", errno);
  // Without its blocks, writing to a page for which there is no room would kill the process.
  int failure = ::posix_fallocate(file, 0, static_cast<off_t>(bytes));
  void* memory = MAP_FAILED;
  if (failure == 0) {
    memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    failure = errno;
  }
  ::close(file);
  if (memory == MAP_FAILED) {
    throw Error::system(directory, "no room for a temporary file of " + std::to_string(bytes) + " bytes",
                        failure);
  }
  return memory;
}

}  // namespace tokmill
