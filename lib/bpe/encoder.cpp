// A block goes through in two phases: keys, hashes and prefetches of all its pretokens, then the look-ups. A
// slot's ids are copied whole, whatever their number, and the output moves on by that number.
#include "bpe/encoder.h"

#include <cstring>

namespace tokmill {

template <class Id>
Encoder<Id>::Encoder(const TokenizerModel& model) : merge_loop_(model), table_(kSlots, kArena) {}

template <class Id>
void Encoder<Id>::prepare(const PretokenBlock& block) {
  for (std::size_t i = 0; i < block.size; ++i) {
    const std::size_t length = block.end[i] - block.begin[i];
    keys_[i] = PretokenKey::read(block.base + block.begin[i], length & PretokenKey::kMaxLength);
    // A longer one becomes a key that no slot holds.
    if (length > PretokenKey::kMaxLength) keys_[i].high = ~std::uint64_t{0};
    hashes_[i] = keys_[i].hash();
    __builtin_prefetch(table_.home(hashes_[i]));
  }
}

template <class Id>
void Encoder<Id>::encode(const PretokenBlock& block, std::size_t first, std::size_t last, IdBuffer<Id>& out) {
  using Table = PretokenTable<Id>;
  static_assert(PretokenBlock::kCapacity * Table::kInline <= IdBuffer<Id>::kRoom);
  Id* at = out.room(IdBuffer<Id>::kRoom);
  for (std::size_t i = first; i < last; ++i) {
    const typename Table::Slot* slot = table_.home(hashes_[i]);
    if (slot->key == keys_[i]) [[likely]] {
      std::memcpy(at, slot->ids, sizeof slot->ids);
      at += slot->count;
    } else {
      out.advance_to(at);
      encode_other(block[i], i, out);
      at = out.room(IdBuffer<Id>::kRoom);
    }
  }
  out.advance_to(at);
}

template <class Id>
void Encoder<Id>::encode_other(std::string_view pretoken, std::size_t entry, IdBuffer<Id>& out) {
  if (pretoken.size() <= PretokenKey::kMaxLength) {
    const auto* slot = table_.find(keys_[entry], hashes_[entry]);
    if (!slot->key.empty()) return out.append(std::span(slot->ids, slot->count));
  }
  const std::span<const Id> known = table_.find_long(pretoken, hash_long_pretoken(pretoken));
  if (!known.empty()) return out.append(known);
  ++misses_;
  const auto& ids = merge_loop_.encode(pretoken);
  out.append(ids);
  table_.insert(pretoken, ids);
}

template class Encoder<std::uint16_t>;
template class Encoder<std::uint32_t>;

}  // namespace tokmill
