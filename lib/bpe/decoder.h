// Turns ids back into bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "format/tokenizer_model.h"

namespace tokmill {

/// The tokens' bytes, joined.
class Decoder {
 public:
  explicit Decoder(const TokenizerModel& model);

  /// Appends the bytes of ids as they lie in memory, `id_bytes` (2 or 4) each. False at an id that is no
  /// token; `bad` is then its place among the ids.
  bool decode(std::string_view ids, std::uint32_t id_bytes, std::string& out, std::size_t& bad) const;

 private:
  struct Place {
    std::uint32_t offset, length;  // length 0: no token
  };
  template <class Id>
  bool decode_as(std::string_view ids, std::string& out, std::size_t& bad) const;

  std::string bytes_;  // of all tokens, with slack at the end
  std::vector<Place> places_;
};

}  // namespace tokmill
