#include "format/merge_checkpoint.h"

#include "io/checksum.h"
#include "io/coding.h"
#include "io/error.h"

namespace tokmill {

namespace {
constexpr std::size_t kNumber = 8;
constexpr std::size_t kHead = MergeCheckpoint::kMagic.size() + 2 * kNumber;
constexpr std::size_t kMerge = 8;
}  // namespace

std::string MergeCheckpoint::to_bytes() const {
  std::string bytes(kMagic);
  bytes.reserve(kHead + merges.size() * kMerge + kNumber);
  put_fixed(bytes, origin);
  put_fixed(bytes, std::uint64_t{merges.size()});
  for (const auto& [left, right] : merges) {
    put_fixed(bytes, left);
    put_fixed(bytes, right);
  }
  put_fixed(bytes, Checksum::of(bytes));
  return bytes;
}

MergeCheckpoint MergeCheckpoint::parse(std::string_view bytes, const std::string& path) {
  if (bytes.size() < kHead + kNumber || !bytes.starts_with(kMagic)) {
    throw Error::at(path, "is no checkpoint of a training");
  }
  const std::string_view body = bytes.substr(0, bytes.size() - kNumber);
  if (get_fixed<std::uint64_t>(body.data() + body.size()) != Checksum::of(body)) {
    throw Error::at(path, "damaged: its bytes do not agree with the checksum at its end");
  }
  MergeCheckpoint checkpoint;
  const char* p = body.data() + kMagic.size();
  checkpoint.origin = get_fixed<std::uint64_t>(p);
  const auto count = get_fixed<std::uint64_t>(p + kNumber);
  if (count != (body.size() - kHead) / kMerge || (body.size() - kHead) % kMerge != 0) {
    throw Error::at(path, "damaged: it has not the length of " + std::to_string(count) + " merges");
  }
  checkpoint.merges.reserve(count);
  p = body.data() + kHead;
  for (std::uint64_t k = 0; k < count; ++k, p += kMerge) {
    const auto left = get_fixed<std::uint32_t>(p), right = get_fixed<std::uint32_t>(p + kMerge / 2);
    if (left >= 256 + k || right >= 256 + k) {
      throw Error::at(path, "damaged: merge " + std::to_string(k) + " is of a symbol that comes later");
    }
    checkpoint.merges.emplace_back(left, right);
  }
  return checkpoint;
}

}  // namespace tokmill
