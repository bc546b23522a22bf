// Plain files: open, read and what identifies them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace tokmill {

/// What a file was when it was looked at: a change of either says that it was written to since.
struct FileIdentity {
  std::uint64_t size = 0;
  std::int64_t modified_ns = 0;  // nanoseconds since the epoch
  bool operator==(const FileIdentity&) const = default;
};

/// An open file, read at offsets. All errors name the path.
class File {
 public:
  explicit File(const std::string& path);
  File(File&& other) noexcept : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)) {}
  File& operator=(File&&) = delete;
  ~File();

  FileIdentity identity() const;
  std::uint64_t size() const { return identity().size; }
  /// Reads `length` bytes at `offset`; a file that ends before them is an Error.
  void read_at(std::uint64_t offset, char* out, std::size_t length) const;
  std::string read_at(std::uint64_t offset, std::size_t length) const;

  int descriptor() const { return fd_; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  int fd_;
};

/// The whole file.
std::string read_file(const std::string& path);

/// Removes a file if it is there; an Error if it cannot be removed.
void remove_file(const std::string& path);

}  // namespace tokmill
