// Linear probing, at most half full. A block goes through in phases, each a plain loop over a few hundred
// pretokens: first all keys, hashes and prefetches, then the probes, so that the misses of the cache overlap.
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
  while ((short_used_ + block.size) * 2 > short_.size()) grow_short();

  std::array<PretokenKey, PretokenBlock::kCapacity> keys;
  std::array<std::uint32_t, PretokenBlock::kCapacity> homes;
  std::array<std::uint32_t, PretokenBlock::kCapacity> long_ones;
  std::array<std::uint64_t, PretokenBlock::kCapacity> long_hashes;
  std::size_t long_count = 0;
  const std::size_t mask = short_.size() - 1;
  ShortSlot* const slots = short_.data();

  for (std::size_t i = 0; i < block.size; ++i) {
    const std::size_t length = block.end[i] - block.begin[i];
    keys[i] = PretokenKey::read(block.base + block.begin[i], length & PretokenKey::kMaxLength);
    homes[i] = static_cast<std::uint32_t>(keys[i].hash() & mask);
    __builtin_prefetch(&slots[homes[i]]);
  }
  block.for_each_longer(PretokenKey::kMaxLength, [&](std::size_t i) {
    long_ones[long_count] = static_cast<std::uint32_t>(i);
    long_hashes[long_count] = hash_long_pretoken(block[i]);
    __builtin_prefetch(&long_[long_hashes[long_count++] & (long_.size() - 1)]);
  });

  // Entries that are not short pretokens stand in two ascending lists: the long ones and the special tokens.
  std::size_t next_special = 0, next_long = 0;
  for (std::size_t i = 0; i < block.size;) {
    const std::size_t special =
        next_special < block.special_count ? block.specials[next_special].entry : block.size;
    const std::size_t other = next_long < long_count ? long_ones[next_long] : block.size;
    for (const std::size_t stop = std::min(special, other); i < stop; ++i) {
      ShortSlot* slot = &slots[homes[i]];
      if (!(slot->key == keys[i])) [[unlikely]]
        slot = &take_slot(keys[i], homes[i]);
      ++slot->count;
    }
    if (i == other && i != special) add_long(block[i], long_hashes[next_long], 1);
    next_long += i == other;
    next_special += i == special;
    ++i;
  }
}

// The slot of a short pretoken, at `home` or behind it; a free one becomes its own.
PretokenCounter::ShortSlot& PretokenCounter::take_slot(const PretokenKey& key, std::size_t home) {
  std::size_t at = home;
  while (short_[at].count != 0 && !(short_[at].key == key)) at = (at + 1) & (short_.size() - 1);
  short_used_ += short_[at].count == 0;
  short_[at].key = key;
  return short_[at];
}

void PretokenCounter::add(std::string_view pretoken, std::uint64_t count) {
  if (!PretokenKey::fits(pretoken)) {
    return add_long(pretoken, hash_long_pretoken(pretoken), count);
  }
  if ((short_used_ + 1) * 2 > short_.size()) grow_short();
  const PretokenKey key = PretokenKey::of(pretoken);
  take_slot(key, key.hash() & (short_.size() - 1)).count += count;
}

void PretokenCounter::add_long(std::string_view pretoken, std::uint64_t hash, std::uint64_t count) {
  if ((long_used_ + 1) * 2 > long_.size()) grow_long();
  const std::size_t mask = long_.size() - 1;
  std::size_t at = hash & mask;
  for (; long_[at].count != 0; at = (at + 1) & mask) {
    LongSlot& slot = long_[at];
    if (slot.hash == hash && slot.length == pretoken.size() &&
        std::memcmp(arena_.data() + slot.offset, pretoken.data(), pretoken.size()) == 0) {
      slot.count += count;
      return;
    }
  }
  if (arena_used_ + pretoken.size() > arena_.size()) {
    arena_.resize(std::max(arena_.size() * 2, arena_used_ + pretoken.size()));
  }
  std::memcpy(arena_.data() + arena_used_, pretoken.data(), pretoken.size());
  long_[at] = {hash, arena_used_, pretoken.size(), count};
  arena_used_ += pretoken.size();
  ++long_used_;
}

void PretokenCounter::grow_short() {
  LargeArray<ShortSlot> larger(short_.size() * 2);
  const std::size_t mask = larger.size() - 1;
  for (std::size_t i = 0; i < short_.size(); ++i) {
    if (short_[i].count == 0) continue;
    std::size_t at = short_[i].key.hash() & mask;
    while (larger[at].count != 0) at = (at + 1) & mask;
    larger[at] = short_[i];
  }
  short_ = std::move(larger);
}

void PretokenCounter::grow_long() {
  LargeArray<LongSlot> larger(long_.size() * 2);
  const std::size_t mask = larger.size() - 1;
  for (std::size_t i = 0; i < long_.size(); ++i) {
    if (long_[i].count == 0) continue;
    std::size_t at = long_[i].hash & mask;
    while (larger[at].count != 0) at = (at + 1) & mask;
    larger[at] = long_[i];
  }
  long_ = std::move(larger);
}

bool PretokenCounter::has_room(const PretokenBlock& block, std::uint64_t limit) const {
  static_assert(sizeof(ShortSlot) == sizeof(LongSlot));
  // A table that grows has the one of twice its size beside it.
  const auto slots_with_block = [&](std::uint64_t used, std::uint64_t slots) {
    return (used + block.size) * 2 > slots ? slots * 3 : slots;
  };
  const std::uint64_t slots =
      slots_with_block(short_used_, short_.size()) + slots_with_block(long_used_, long_.size());
  const std::uint64_t text = block.size > 0 ? block.end[block.size - 1] - block.begin[0] : 0;
  return slots * sizeof(ShortSlot) + arena_used_ + text <= limit;
}

// The entries of a table in canonical order, in its second half. They are moved to the front; from there to
// groups of a few, by the hash's leading bits; and each group is sorted by comparison. A table is at most
// half full, so this takes no more memory, and memory that is new is slow.
template <class Slot>
std::span<const Slot> PretokenCounter::sort(LargeArray<Slot>& slots, std::uint64_t used) const {
  const int bits = std::clamp(static_cast<int>(std::bit_width(used)) - 2, 1, 20);
  std::vector<std::uint64_t> ends((std::size_t{1} << bits) + 1);
  const auto group_of = [&](const Slot& slot) { return slot.hash >> (64 - bits); };
  std::size_t size = 0;
  for (std::size_t i = 0; size < used; ++i) {
    if (slots[i].count == 0) continue;
    Slot& slot = slots[size++] = slots[i];
    if constexpr (std::is_same_v<Slot, ShortSlot>) slot.hash = CountTableOrder(slot.key.bytes()).hash;
    ++ends[group_of(slot) + 1];
  }
  for (std::size_t i = 1; i < ends.size(); ++i) ends[i] += ends[i - 1];
  Slot* const sorted = slots.data() + slots.size() - used;
  for (std::size_t i = 0; i < used; ++i) sorted[ends[group_of(slots[i])]++] = slots[i];
  std::uint64_t begin = 0;
  for (std::size_t i = 0; i + 1 < ends.size(); begin = ends[i++]) {
    std::sort(sorted + begin, sorted + ends[i],
              [&](const Slot& a, const Slot& b) { return order(a) < order(b); });
  }
  return {sorted, used};
}

void PretokenCounter::write(CountTableWriter& writer) {
  const std::span<const ShortSlot> short_ones = sort(short_, short_used_);
  const std::span<const LongSlot> long_ones = sort(long_, long_used_);
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
