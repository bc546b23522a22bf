#include "io/error.h"

#include <cstring>

namespace tokmill {

Error Error::at(const std::string& path, const std::string& what) {
  return Error(path + ": " + what);
}

Error Error::at(const std::string& path, std::uint64_t offset, const std::string& what) {
  return Error(path + ": byte " + std::to_string(offset) + ": " + what);
}

Error Error::system(const std::string& path, const std::string& what, int error_number) {
  return Error(path + ": " + what + ": " + std::strerror(error_number));
}

}  // namespace tokmill
