// Turns blocks of pretokens into ids.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bpe/block_keys.h"
#include "bpe/id_buffer.h"
#include "bpe/merge_loop.h"
#include "bpe/pretoken_table.h"
#include "format/known_pretokens.h"
#include "format/tokenizer_model.h"
#include "text/pretoken_block.h"

namespace tokmill {

/// Looks pretokens up in a table of those seen before; the others go through the merge loop. `Id` is
/// std::uint16_t or std::uint32_t, and every id of the model fits into it.
///
/// Make it before forking: the processes then share what it has learnt, page by page, until they add to it.
/// What it holds, and how much of it, matters for nothing but the time.
template <class Id>
class Encoder {
 public:
  /// The table of pretokens takes at most `memory` bytes.
  explicit Encoder(const TokenizerModel& model, std::uint64_t memory = kMostMemory);

  /// Encodes pretokens beforehand, the most frequent first. One that cannot be spelled is left out.
  void learn(const std::vector<std::string>& pretokens);
  /// Takes over what is known of the model's pretokens.
  void learn(const KnownPretokens& known, const TokenizerModel& model);

  /// Makes the table large enough for about `text` bytes of text. Call it after forking: what a process
  /// touches anew is not copied.
  void expect(std::uint64_t text);

  /// Reads the keys of a block; call it once for each block before `encode`.
  void prepare(const PretokenBlock& block);
  /// Appends the ids of pretokens [first, last) of the block, none of which is a special token. Throws
  /// UnspellableByte.
  void encode(const PretokenBlock& block, std::size_t first, std::size_t last, IdBuffer<Id>& out);

  /// Pretokens that were not in the table.
  std::uint64_t misses() const { return misses_; }

 private:
  bool knows(std::string_view pretoken, std::uint64_t hash) const;
  void encode_long(std::string_view pretoken, std::uint64_t hash, IdBuffer<Id>& out);
  void encode_new(std::string_view pretoken, std::uint64_t hash, IdBuffer<Id>& out);

  using Table = PretokenTable<Id>;
  static constexpr std::size_t kAtOnce = Table::kWide / sizeof(Id);
  static void copy_ids(const Id* ids, std::size_t count, Id* out);

  static constexpr std::uint64_t kMostMemory = 128 << 20;  // more makes it no faster

  MergeLoop<Id> merge_loop_;
  Table table_;
  std::uint64_t misses_ = 0;
  BlockKeys keys_;  // of the block being encoded
};

extern template class Encoder<std::uint16_t>;
extern template class Encoder<std::uint32_t>;

}  // namespace tokmill
