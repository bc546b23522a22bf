// Most tokens have at most 16 bytes: those are copied as 16, whatever their length.
#include "bpe/decoder.h"

#include <cstring>

#include "io/error.h"

namespace tokmill {

namespace {
constexpr std::size_t kWide = 16;
}

Decoder::Decoder(const TokenizerModel& model) {
  for (const std::string& token : model.tokens) {
    if (bytes_.size() + token.size() > UINT32_MAX)
      throw Error("the vocabulary's tokens are longer than 4 GiB together");
    places_.push_back({static_cast<std::uint32_t>(bytes_.size()), static_cast<std::uint32_t>(token.size())});
    bytes_ += token;
  }
  bytes_.append(kWide, '\0');
}

bool Decoder::decode(std::string_view ids, std::uint32_t id_bytes, std::string& out, std::size_t& bad) const {
  return id_bytes == 2 ? decode_as<std::uint16_t>(ids, out, bad) : decode_as<std::uint32_t>(ids, out, bad);
}

template <class Id>
bool Decoder::decode_as(std::string_view ids, std::string& out, std::size_t& bad) const {
  const std::size_t count = ids.size() / sizeof(Id);
  std::size_t at = out.size();
  for (std::size_t i = 0; i < count; ++i) {
    Id id;
    std::memcpy(&id, ids.data() + i * sizeof(Id), sizeof id);
    const Place place = id < places_.size() ? places_[id] : Place{0, 0};
    if (place.length == 0) {
      out.resize(at);
      bad = i;
      return false;
    }
    if (at + place.length + kWide > out.size()) out.resize((at + place.length + kWide) * 2);
    const char* from = bytes_.data() + place.offset;
    std::memcpy(out.data() + at, from, kWide);
    if (place.length > kWide) std::memcpy(out.data() + at, from, place.length);
    at += place.length;
  }
  out.resize(at);
  return true;
}

}  // namespace tokmill
