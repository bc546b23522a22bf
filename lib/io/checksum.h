// Checksums of what tokmill writes: XXH3, 64 bits (https://xxhash.com).
#pragma once

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace tokmill {

/// A checksum of bytes that arrive in pieces.
class Checksum {
 public:
  Checksum() : state_(XXH3_createState()) { XXH3_64bits_reset(state_.get()); }
  void update(std::string_view bytes) { XXH3_64bits_update(state_.get(), bytes.data(), bytes.size()); }
  std::uint64_t value() const { return XXH3_64bits_digest(state_.get()); }

  static std::uint64_t of(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

 private:
  struct Free {
    void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
  };
  std::unique_ptr<XXH3_state_t, Free> state_;
};

/// A checksum as files spell it: "xxh3:" and 16 hexadecimal digits.
std::string spell_checksum(std::uint64_t checksum);

/// The checksum of a file's bytes, read in pieces.
std::uint64_t checksum_of_file(const std::string& path);

}  // namespace tokmill
