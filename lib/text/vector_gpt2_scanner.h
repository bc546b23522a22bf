// The pattern `gpt2` on vectors of bytes.
#pragma once

#include "text/gpt2_scanner.h"
#include "text/vector_target.h"

namespace tokmill {

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
