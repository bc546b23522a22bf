#include "bpe/block_keys.h"

#include <boost/test/unit_test.hpp>
#include <set>

#include "text/pretokenizer.h"
#include "text/scanning.h"

using namespace tokmill;
using test::PaddedText;
using test::Random;

namespace {

const std::string kShort = "<|end|>";
const std::string kLong = "<|a special token of many bytes|>";

struct Slot {
  PretokenKey key;
  std::uint64_t count[2];

  bool empty() const { return key.empty(); }
  std::uint64_t hash() const { return key.hash(); }
};
const SlotTable<Slot> kTable(64);

void check(const BlockKeys& keys, const PretokenBlock& block) {
  std::set<std::size_t> specials;
  for (std::size_t i = 0; i < block.special_count; ++i) specials.insert(block.specials[i].entry);
  std::vector<std::uint64_t> long_hashes;
  for (std::size_t i = 0; i < block.size; ++i) {
    const bool is_special = specials.contains(i), is_short = PretokenKey::fits(block[i]);
    BOOST_REQUIRE(keys.is_special(i) == is_special);
    BOOST_REQUIRE(keys.is_long(i) == (!is_special && !is_short));
    if (!is_short) long_hashes.push_back(hash_long_pretoken(block[i]));
    if (is_special) continue;
    if (is_short) {
      BOOST_REQUIRE(keys.key(i) == PretokenKey::of(block[i]));
      BOOST_REQUIRE(keys.place(i) == kTable.places().of(PretokenKey::of(block[i]).hash()));
    } else {
      BOOST_REQUIRE(keys.long_hash(i) == hash_long_pretoken(block[i]));
    }
  }
  BOOST_REQUIRE(std::ranges::equal(keys.long_hashes(), long_hashes));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(block_keys_test)

BOOST_AUTO_TEST_CASE(agree_with_keys_read_one_by_one_under_each_instruction_set) {
  Random random(1);
  const SpecialTokens specials({kShort, kLong});
  for (const std::string& instructions : instruction_sets()) {
    BlockKeys keys(instructions);
    for (int i = 0; i < 40; ++i) {
      std::string bytes;
      for (std::size_t parts = random.between(0, 2'000); parts > 0; --parts) {
        bytes += random.below(9) == 0   ? random.pick<std::string>({kShort, kLong})
                 : random.below(3) == 0 ? test::nasty_text(random, 6)
                                        : " " + std::string(random.between(1, 20), 'w');
      }
      const PaddedText text(bytes);
      const auto scanner = make_scanner(random.below(2) == 0 ? Pattern::kGpt2 : Pattern::kWhitespace);
      Pretokenizer pretokenizer(*scanner, specials);
      pretokenizer.start(text.view());
      for (const PretokenBlock* block = &pretokenizer.next(); block->size > 0; block = &pretokenizer.next()) {
        keys.read(*block, kTable.places());
        check(keys, *block);
      }
    }
  }
}

// Among them those whose lengths are short but for their high bits.
BOOST_AUTO_TEST_CASE(any_bytes_of_any_length_in_blocks_of_any_size) {
  Random random(2);
  for (const std::string& instructions : instruction_sets()) {
    BlockKeys keys(instructions);
    for (int i = 0; i < 200; ++i) {
      const PaddedText text(random.bytes(random.between(1, 3'000)));
      PretokenBlock block;
      block.clear(text.begin());
      for (const char* at = text.begin(); at < text.end() && block.size < PretokenBlock::kEnough;) {
        const std::size_t length = random.below(40) == 0 ? random.between(16, 600) : random.between(1, 17);
        const char* const end = std::min(at + length, text.end());
        block.append(at, end);
        at = end;
      }
      keys.read(block, kTable.places());
      check(keys, block);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
