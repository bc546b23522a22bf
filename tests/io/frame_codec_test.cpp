#include "io/frame_codec.h"

#include <boost/test/unit_test.hpp>

#include "support.h"

using namespace tokmill;
using test::Random;

namespace {

// Bytes of few kinds without repetitions to speak of: only coding makes them smaller.
std::string skewed(Random& random, std::size_t size) {
  std::string bytes;
  while (bytes.size() < size) bytes.push_back(static_cast<char>(random.below(4) * random.below(4)));
  return bytes;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(frame_codec_test)

BOOST_AUTO_TEST_CASE(what_was_compressed_comes_back) {
  Random random(1);
  FrameDecompressor decompressor;
  for (const int level : {-7, -3, -1, 1, 3, 19}) {
    for (const bool checksummed : {false, true}) {
      FrameCompressor compressor("a file", level, checksummed);
      for (const std::size_t size : {0, 1, 100, 70'000, 3}) {
        const std::string plain = random.below(2) == 0 ? random.bytes(size) : skewed(random, size);
        const std::string_view frame = compressor.compress(plain);
        BOOST_TEST(FrameDecompressor::holds(frame, size));
        BOOST_TEST(!FrameDecompressor::holds(frame, size + 1));
        std::string back(size, 'x');
        BOOST_TEST(decompressor.decompress(frame, back.data(), size) == nullptr);
        BOOST_TEST((back == plain));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(literals_are_coded_at_every_level) {
  Random random(2);
  const std::string plain = skewed(random, 100'000);
  for (const int level : {-7, -1, 1}) {
    BOOST_TEST(FrameCompressor("a file", level, false).compress(plain).size() < plain.size() / 2);
  }
}

BOOST_AUTO_TEST_CASE(damage_is_said) {
  Random random(3);
  FrameDecompressor decompressor;
  FrameCompressor compressor("a file", 1, true);
  const std::string plain = skewed(random, 5'000), frame{compressor.compress(plain)};
  std::string back(plain.size(), '\0');
  for (int i = 0; i < 200; ++i) {
    std::string damaged = frame;
    damaged[random.below(damaged.size())] ^= static_cast<char>(1 << random.below(8));
    const char* wrong = decompressor.decompress(damaged, back.data(), back.size());
    BOOST_TEST((wrong != nullptr || back == plain));  // a frame's header has bits that mean nothing
  }
  BOOST_TEST(decompressor.decompress(frame.substr(0, frame.size() / 2), back.data(), back.size()) != nullptr);
  BOOST_TEST(decompressor.decompress(frame, back.data(), back.size() - 1) != nullptr);
  std::string larger(plain.size() + 1, '\0');
  BOOST_TEST(decompressor.decompress(frame, larger.data(), larger.size()) != nullptr);
}

BOOST_AUTO_TEST_SUITE_END()
