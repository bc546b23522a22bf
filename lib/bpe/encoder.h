// Turns blocks of pretokens into ids.
#pragma once

#include <cstdint>

#include "bpe/id_buffer.h"
#include "bpe/merge_loop.h"
#include "bpe/pretoken_table.h"
#include "format/tokenizer_model.h"
#include "text/pretoken_block.h"

namespace tokmill {

/// Looks pretokens up in a table of those seen before; the others go through the merge loop. `Id` is
/// std::uint16_t or std::uint32_t, and every id of the model fits into it.
template <class Id>
class Encoder {
 public:
  explicit Encoder(const TokenizerModel& model);

  /// Hashes a block and fetches its slots; call it once for each block before `encode`.
  void prepare(const PretokenBlock& block);
  /// Appends the ids of pretokens [first, last) of the block, none of which is a special token. Throws
  /// UnspellableByte.
  void encode(const PretokenBlock& block, std::size_t first, std::size_t last, IdBuffer<Id>& out);

  /// Pretokens that were not in the table.
  std::uint64_t misses() const { return misses_; }

 private:
  void encode_other(std::string_view pretoken, std::size_t entry, IdBuffer<Id>& out);

  static constexpr std::size_t kSlots = 1 << 20;
  static constexpr std::size_t kArena = 32 << 20;

  MergeLoop merge_loop_;
  PretokenTable<Id> table_;
  std::uint64_t misses_ = 0;
  std::array<PretokenKey, PretokenBlock::kCapacity> keys_;
  std::array<std::uint32_t, PretokenBlock::kCapacity> hashes_;
};

extern template class Encoder<std::uint16_t>;
extern template class Encoder<std::uint32_t>;

}  // namespace tokmill
