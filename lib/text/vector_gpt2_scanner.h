// The pattern `gpt2` on vectors of bytes.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "text/gpt2_scanner.h"

namespace tokmill {

/// An instruction set that the vector scanner was compiled for and that this processor can run.
struct VectorTarget {
  std::string_view name;  // "avx512", "avx2", "sse4", "neon"
  std::int64_t highway;   // Highway's number of it
};

/// The best first; empty where there is none.
std::vector<VectorTarget> vector_targets();

/// Gives the same pretokens as Gpt2Scanner, several times faster.
class VectorGpt2Scanner : public Gpt2Scanner {
 public:
  explicit VectorGpt2Scanner(const VectorTarget& target);

  const char* scan(const char* from, const char* end, PretokenBlock& block) const override;

 private:
  using Scan = const char* (*)(const char*, const char*, PretokenBlock&);
  Scan scan_;
};

}  // namespace tokmill
