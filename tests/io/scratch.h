// Files for tests: a fresh directory, bytes put into files as they are, and damage done to them.
#pragma once

#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "io/error.h"

namespace tokmill::test {

/// A fresh directory, gone with all that is in it at the end of the test.
class ScratchDirectory {
 public:
  ScratchDirectory() : path_((std::filesystem::temp_directory_path() / "tokmill-test-XXXXXX").string()) {
    if (::mkdtemp(path_.data()) == nullptr) throw std::runtime_error(path_ + ": cannot be made");
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  ~ScratchDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::string& path() const { return path_; }
  /// The path of a file in it.
  std::string operator/(std::string_view name) const { return path_ + "/" + std::string(name); }

 private:
  std::string path_;
};

/// Writes a file without any of the library's own code.
inline void put_file(const std::string& path, std::string_view bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!file.flush()) throw std::runtime_error(path + ": cannot be written");
}

/// Reads a file without any of the library's own code.
inline std::string take_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path + ": cannot be read");
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Flips each bit of the file's bytes [begin, end) in turn, calls act(offset, bit), and puts the bit back.
template <class Act>
void for_each_flip(const std::string& path, std::size_t begin, std::size_t end, Act act) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  const auto put = [&](std::size_t at, char byte) {
    if (!file.seekp(static_cast<std::streamoff>(at)).put(byte).flush()) {
      throw std::runtime_error(path + ": cannot be changed");
    }
  };
  const std::string whole = take_file(path);
  for (std::size_t at = begin; at < end; ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      put(at, static_cast<char>(whole[at] ^ 1 << bit));
      act(at, bit);
    }
    put(at, whole[at]);
  }
}

/// Cuts the file shorter and shorter, byte by byte down to nothing, and calls act(size) each time.
template <class Act>
void for_each_cut(const std::string& path, Act act) {
  for (std::size_t size = std::filesystem::file_size(path); size-- > 0;) {
    std::filesystem::resize_file(path, size);
    act(size);
  }
}

/// The words of the Error that `act` throws; empty where it throws none. Another exception passes through.
template <class Kind = Error, class Act>
std::string error_of(Act&& act) {
  try {
    act();
  } catch (const Kind& error) {
    return error.what();
  }
  return {};
}

/// Whether an error says this among its words.
inline bool says(const std::string& error, std::string_view words) {
  return error.find(words) != std::string::npos;
}

}  // namespace tokmill::test
