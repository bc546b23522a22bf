// A block goes through in phases: keys and prefetches of all its pretokens, then the look-ups, so that the
// misses of the cache overlap. A slot's ids are copied whole, whatever their number, and the output moves on
// by that number. Nearly every pretoken takes the one short way: its key is in its home slot, and so are its
// ids.
//
// There is one table, which a process adds to, and not a second one for what is new: with a second one,
// waiting for its slots, which had not been fetched, was the largest single cost (about a fifth of a
// profile's samples).
#include "bpe/encoder.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "bpe/table_size.h"

namespace tokmill {

namespace {
// Bytes set aside for each slot of a table of pretokens and its share of the table of long ones: with room to
// spare, as they take 38.
constexpr std::uint64_t kBySlot = 64;
constexpr std::uint64_t kLeastSlots = 64;
}  // namespace

template <class Id>
Encoder<Id>::Encoder(const TokenizerModel& model, std::uint64_t memory)
    : merge_loop_(model),
      table_(std::bit_floor(std::max(std::min(memory, kMostMemory) / 2 / kBySlot, kLeastSlots)),
             std::min(memory, kMostMemory) / 2) {}

template <class Id>
bool Encoder<Id>::knows(std::string_view pretoken, std::uint64_t hash) const {
  if (!PretokenKey::fits(pretoken)) return !table_.find_long(pretoken, hash).empty();
  return table_.find(PretokenKey::of(pretoken), hash).count != 0;
}

template <class Id>
void Encoder<Id>::learn(const std::vector<std::string>& pretokens) {
  for (const std::string& pretoken : pretokens) {
    const std::uint64_t hash = hash_pretoken(pretoken);
    if (knows(pretoken, hash)) continue;
    try {
      table_.insert(pretoken, hash, merge_loop_.encode(pretoken));
    } catch (const UnspellableByte&) {
      // an error only if it is in the text
    }
  }
}

template <class Id>
void Encoder<Id>::learn(const KnownPretokens& known, const TokenizerModel& model) {
  std::string pretoken;
  for (std::size_t i = 0; i < known.size(); ++i) {
    pretoken.clear();
    for (const std::uint32_t id : known[i]) pretoken += model.tokens[id];
    const std::uint64_t hash = hash_pretoken(pretoken);
    if (!knows(pretoken, hash)) table_.insert(pretoken, hash, known[i]);
  }
}

template <class Id>
void Encoder<Id>::expect(std::uint64_t text) {
  table_.reserve(slots_for_text(text));
}

template <class Id>
void Encoder<Id>::prepare(const PretokenBlock& block) {
  keys_.read(block, table_.places());
  for (const std::uint64_t hash : keys_.long_hashes()) table_.prefetch_long(hash);
}

template <class Id>
void Encoder<Id>::encode(const PretokenBlock& block, std::size_t first, std::size_t last, IdBuffer<Id>& out) {
  // What a pretoken of a slot has of ids, and what is written past them.
  static_assert(PretokenBlock::kCapacity * PretokenKey::kMaxLength + kAtOnce <= IdBuffer<Id>::kRoom);
  SlotPlaces slots = table_.places();
  Id* at = out.room(IdBuffer<Id>::kRoom);
  for (std::size_t i = first; i < last; ++i) {
    const auto* slot = &slots.at<typename Table::Slot>(keys_.place(i));
    if (!(slot->key == keys_.key(i))) [[unlikely]] {
      const bool is_long = keys_.is_long(i);
      const std::uint64_t hash = is_long ? keys_.long_hash(i) : keys_.key(i).hash();
      if (!is_long) slot = &table_.find(keys_.key(i), hash);
      if (is_long || slot->count == 0) {
        out.advance_to(at);
        is_long ? encode_long(block[i], hash, out) : encode_new(block[i], hash, out);
        slots = table_.places();
        at = out.room(IdBuffer<Id>::kRoom);
        continue;
      }
    }
    const std::size_t count = slot->count;
    if (count <= Table::kInline) [[likely]] {
      slot->copy_ids(at);
    } else {
      copy_ids(table_.spilled(*slot), count, at);
    }
    at += count;
  }
  out.advance_to(at);
}

// Copies kAtOnce ids at a time, which the table and the buffer have room for.
template <class Id>
void Encoder<Id>::copy_ids(const Id* ids, std::size_t count, Id* out) {
  for (std::size_t done = 0; done < count; done += kAtOnce) {
    std::memcpy(out + done, ids + done, kAtOnce * sizeof(Id));
  }
}

template <class Id>
void Encoder<Id>::encode_long(std::string_view pretoken, std::uint64_t hash, IdBuffer<Id>& out) {
  const std::span<const Id> ids = table_.find_long(pretoken, hash);
  if (ids.empty()) {
    encode_new(pretoken, hash, out);
  } else if (ids.size() + kAtOnce <= IdBuffer<Id>::kRoom) {
    Id* const at = out.room(IdBuffer<Id>::kRoom);
    copy_ids(ids.data(), ids.size(), at);
    out.advance_to(at + ids.size());
  } else {
    out.append(ids);
  }
}

template <class Id>
void Encoder<Id>::encode_new(std::string_view pretoken, std::uint64_t hash, IdBuffer<Id>& out) {
  ++misses_;
  const std::span<const Id> ids = merge_loop_.encode(pretoken);
  out.append(ids);
  table_.insert(pretoken, hash, ids);
}

template class Encoder<std::uint16_t>;
template class Encoder<std::uint32_t>;

}  // namespace tokmill
