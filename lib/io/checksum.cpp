#include "io/checksum.h"

#include <algorithm>
#include <cstdio>

#include "io/file.h"

namespace tokmill {

std::string spell_checksum(std::uint64_t checksum) {
  char text[22];
  std::snprintf(text, sizeof text, "xxh3:%016llx", static_cast<unsigned long long>(checksum));
  return text;
}

std::uint64_t checksum_of_file(const std::string& path) {
  const File file(path);
  const std::uint64_t size = file.size();
  std::string piece(std::min<std::uint64_t>(size, 1 << 20), '\0');
  Checksum checksum;
  for (std::uint64_t at = 0; at < size; at += piece.size()) {
    piece.resize(std::min<std::uint64_t>(piece.size(), size - at));
    file.read_at(at, piece.data(), piece.size());
    checksum.update(piece);
  }
  return checksum.value();
}

}  // namespace tokmill
