// A block goes through in phases, each a plain loop over a few hundred pretokens: first all keys and
// prefetches, then the probes, so that the misses of the cache overlap.
#include "bpe/pretoken_counter.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>
#include <vector>

#include "bpe/table_size.h"

namespace tokmill {

namespace {

constexpr std::size_t kFirstShort = 1 << 16;
constexpr std::size_t kFirstLong = 1 << 12;
constexpr std::size_t kFirstArena = 1 << 20;

}  // namespace

PretokenCounter::PretokenCounter(std::uint64_t text, std::uint64_t limit)
    : text_(text),
      limit_(limit),
      short_(std::max(kFirstShort,
                      std::min(slots_for_text(text), std::bit_floor(limit / 4 / sizeof(ShortSlot))))),
      long_(kFirstLong),
      arena_(kFirstArena) {}

void PretokenCounter::clear() {
  *this = PretokenCounter(text_, limit_);
}

void PretokenCounter::add(const PretokenBlock& block) {
  while (!short_.has_room_for(block.size)) short_.grow();
  const SlotPlaces slots = short_.places();
  keys_.read(block, slots);
  for (const std::uint64_t hash : keys_.long_hashes()) long_.prefetch(hash);

  for (std::size_t i = 0; i < block.size; ++i) {
    auto& slot = const_cast<ShortSlot&>(slots.at<ShortSlot>(keys_.place(i)));  // one of ours
    if (slot.key == keys_.key(i)) [[likely]] {
      ++slot.count;
    } else if (keys_.is_long(i)) {
      add_long(block[i], keys_.long_hash(i), 1);
    } else if (!keys_.is_special(i)) {
      add_short(keys_.key(i), keys_.key(i).hash(), 1);
    }
  }
}

void PretokenCounter::add(std::string_view pretoken, std::uint64_t count) {
  if (!PretokenKey::fits(pretoken)) {
    return add_long(pretoken, hash_long_pretoken(pretoken), count);
  }
  if (!short_.has_room_for(1)) short_.grow();
  const PretokenKey key = PretokenKey::of(pretoken);
  add_short(key, key.hash(), count);
}

// There is room for one more.
void PretokenCounter::add_short(const PretokenKey& key, std::uint64_t hash, std::uint64_t count) {
  ShortSlot& slot = short_.find(hash, [&](const ShortSlot& other) { return other.key == key; });
  if (slot.empty()) {
    short_.take(slot, {key, count, 0});
  } else {
    slot.count += count;
  }
}

void PretokenCounter::add_long(std::string_view pretoken, std::uint64_t hash, std::uint64_t count) {
  if (!long_.has_room_for(1)) long_.grow();
  LongSlot& slot = long_.find(hash, [&](const LongSlot& other) {
    return other.checksum == hash && other.length == pretoken.size() &&
           std::memcmp(arena_.data() + other.offset, pretoken.data(), pretoken.size()) == 0;
  });
  if (!slot.empty()) {
    slot.count += count;
    return;
  }
  if (arena_used_ + pretoken.size() > arena_.size()) {
    arena_.resize(std::max(arena_.size() * 2, arena_used_ + pretoken.size()));
  }
  std::memcpy(arena_.data() + arena_used_, pretoken.data(), pretoken.size());
  long_.take(slot, {hash, arena_used_, pretoken.size(), count});
  arena_used_ += pretoken.size();
}

bool PretokenCounter::has_room(const PretokenBlock& block, std::uint64_t limit) const {
  const auto bytes_with_block = [&](const auto& table) {
    return (table.has_room_for(block.size) ? 1 : 2) * table.size() * sizeof *table.data();
  };
  const std::uint64_t text = block.size > 0 ? block.end[block.size - 1] - block.begin[0] : 0;
  return bytes_with_block(short_) + bytes_with_block(long_) + arena_used_ + text <= limit;
}

// The entries of a table in canonical order, in its second half. They are moved to the front; from there to
// groups of a few, by the hash's leading bits; and each group is sorted by comparison. A table is at most
// half full, so this takes no more memory, and memory that is new is slow.
template <class Slot>
std::span<const Slot> PretokenCounter::sort(SlotTable<Slot>& table) const {
  const std::uint64_t used = table.used();
  Slot* const slots = table.data();
  const int bits = std::clamp(static_cast<int>(std::bit_width(used)) - 2, 1, 20);
  std::vector<std::uint64_t> ends((std::size_t{1} << bits) + 1);
  const auto group_of = [&](const Slot& slot) { return slot.checksum >> (64 - bits); };
  std::size_t size = 0;
  for (std::size_t i = 0; size < used; ++i) {
    if (slots[i].empty()) continue;
    Slot& slot = slots[size++] = slots[i];
    if constexpr (std::is_same_v<Slot, ShortSlot>) slot.checksum = CountTableOrder(slot.key.bytes()).hash;
    ++ends[group_of(slot) + 1];
  }
  for (std::size_t i = 1; i < ends.size(); ++i) ends[i] += ends[i - 1];
  Slot* const sorted = slots + table.size() - used;
  for (std::size_t i = 0; i < used; ++i) sorted[ends[group_of(slots[i])]++] = slots[i];
  std::uint64_t begin = 0;
  for (std::size_t i = 0; i + 1 < ends.size(); begin = ends[i++]) {
    std::sort(sorted + begin, sorted + ends[i],
              [&](const Slot& a, const Slot& b) { return order(a) < order(b); });
  }
  return {sorted, used};
}

void PretokenCounter::write(CountTableWriter& writer) {
  const std::span<const ShortSlot> short_ones = sort(short_);
  const std::span<const LongSlot> long_ones = sort(long_);
  auto next_long = long_ones.begin();
  const auto write_long_before = [&](auto is_before) {
    for (; next_long != long_ones.end() && is_before(order(*next_long)); ++next_long) {
      writer.add(order(*next_long), next_long->count);
    }
  };
  for (const ShortSlot& slot : short_ones) {
    const CountTableOrder next = order(slot);
    write_long_before([&](const CountTableOrder& other) { return other < next; });
    writer.add(next, slot.count);
  }
  write_long_before([](const CountTableOrder&) { return true; });
}

}  // namespace tokmill
