#include "format/merge_checkpoint.h"

#include <boost/test/unit_test.hpp>

#include "io/checksum.h"
#include "io/coding.h"
#include "io/error.h"
#include "io/scratch.h"
#include "support.h"

using namespace tokmill;
using test::error_of;
using test::Random;
using test::says;

namespace {

MergeCheckpoint random_checkpoint(Random& random, std::uint32_t merges) {
  MergeCheckpoint checkpoint;
  checkpoint.origin = random.below(UINT64_MAX);
  for (std::uint32_t k = 0; k < merges; ++k) {
    const auto symbol = [&] { return static_cast<std::uint32_t>(random.below(256 + k)); };
    checkpoint.merges.emplace_back(symbol(), symbol());
  }
  return checkpoint;
}

std::string why_not(const std::string& bytes) {
  return error_of([&] { MergeCheckpoint::parse(bytes, "a/path"); });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(merge_checkpoint_test)

BOOST_AUTO_TEST_CASE(what_is_written_is_read) {
  Random random(1);
  for (const std::uint32_t merges : {0u, 1u, 2u, 64u, 5'000u}) {
    const MergeCheckpoint checkpoint = random_checkpoint(random, merges);
    const MergeCheckpoint again = MergeCheckpoint::parse(checkpoint.to_bytes(), "path");
    BOOST_TEST(again.origin == checkpoint.origin);
    BOOST_TEST((again.merges == checkpoint.merges));
  }
}

BOOST_AUTO_TEST_CASE(the_bytes_are_those_of_the_grammar) {
  MergeCheckpoint checkpoint;
  checkpoint.origin = 0x0102030405060708;
  checkpoint.merges = {{'a', 'b'}, {256, 'c'}};
  std::string expected("TOKMILM1\x08\7\6\5\4\3\2\1\2\0\0\0\0\0\0\0a\0\0\0b\0\0\0\0\1\0\0c\0\0\0", 40);
  put_fixed(expected, Checksum::of(expected));
  BOOST_TEST(checkpoint.to_bytes() == expected);
}

BOOST_AUTO_TEST_CASE(any_change_is_noticed) {
  Random random(2);
  const std::string bytes = random_checkpoint(random, 5).to_bytes();
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    BOOST_TEST(says(why_not(bytes.substr(0, length)), "a/path: "));
  }
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ (1 << random.below(8)));
    BOOST_TEST(says(why_not(changed), "a/path: "));
  }
  BOOST_TEST(!why_not(bytes + '\0').empty());
}

BOOST_AUTO_TEST_CASE(what_is_sealed_and_makes_no_sense_is_refused) {
  MergeCheckpoint checkpoint;
  checkpoint.merges = {{'a', 'b'}, {'c', 257}};
  BOOST_TEST(says(why_not(checkpoint.to_bytes()), "merge 1"));
  checkpoint.merges = {{256, 'b'}};
  BOOST_TEST(says(why_not(checkpoint.to_bytes()), "merge 0"));
  for (const std::uint64_t count : {std::uint64_t{1}, UINT64_MAX}) {  // of no merges that follow
    for (const std::size_t rest : {0u, 4u}) {
      std::string bytes(MergeCheckpoint::kMagic);
      put_fixed(bytes, std::uint64_t{7});
      put_fixed(bytes, count);
      bytes.append(rest, '\0');
      put_fixed(bytes, Checksum::of(bytes));
      BOOST_TEST(says(why_not(bytes), "length"));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
