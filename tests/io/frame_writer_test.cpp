#include "io/frame_writer.h"

#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "io/checksum.h"
#include "io/coding.h"
#include "io/frames.h"
#include "io/scratch.h"

using namespace tokmill;
using namespace tokmill::test;

BOOST_AUTO_TEST_SUITE(frame_writer_test)

BOOST_AUTO_TEST_CASE(stock_zstd_gives_the_plain_bytes) {
  const ScratchDirectory scratch;
  Random random(10);
  for (const std::uint32_t frame_size : {1u, 7u, 100u, 4096u}) {
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{1}, std::size_t{frame_size} - 1, std::size_t{frame_size},
          std::size_t{frame_size} + 1, std::size_t{frame_size} * 5, random.between(0, frame_size * 20)}) {
      const std::string bytes = mixed_bytes(random, size);
      write_frames(scratch / "file", bytes, frame_size);
      BOOST_TEST((stock_decompress(take_file(scratch / "file")) == bytes),
                 size << " bytes in frames of " << frame_size);
    }
  }
}

BOOST_AUTO_TEST_CASE(how_bytes_are_appended_does_not_show_in_the_file) {
  const ScratchDirectory scratch;
  Random random(11);
  for (int round = 0; round < 100; ++round) {
    const auto frame_size = static_cast<std::uint32_t>(random.pick<std::size_t>({1, 10, 64, 1000}));
    const std::string bytes = mixed_bytes(random, random.between(0, frame_size * 10));
    write_frames(scratch / "whole", bytes, frame_size);

    FrameWriter writer(scratch / "pieces", frame_format::kDefaultLevel, frame_size);
    for (std::size_t at = 0, size; at < bytes.size(); at += size) {
      size = random.between(0, std::min<std::size_t>(bytes.size() - at, frame_size * 3));
      writer.append(std::string_view(bytes).substr(at, size));
    }
    writer.commit();
    BOOST_TEST((take_file(scratch / "pieces") == take_file(scratch / "whole")));
  }
}

// The grammar of frame_format.h, byte for byte.
BOOST_AUTO_TEST_CASE(ends_with_the_seek_table_of_the_seekable_format) {
  const ScratchDirectory scratch;
  Random random(12);
  const std::string bytes = mixed_bytes(random, 250);
  write_frames(scratch / "file", bytes, 100);
  const std::string file = take_file(scratch / "file");
  const std::size_t table = file.size() - (8 + 3 * 12 + 9);

  std::string expected("\x5E\x2A\x4D\x18\x2D\0\0\0", 8);
  std::size_t at = 0;
  for (std::size_t begin = 0; begin < bytes.size(); begin += 100) {
    const std::string plain = bytes.substr(begin, 100);
    const std::size_t size = ZSTD_findFrameCompressedSize(file.data() + at, table - at);
    BOOST_REQUIRE(!ZSTD_isError(size));
    put_fixed(expected, static_cast<std::uint32_t>(size));
    put_fixed(expected, static_cast<std::uint32_t>(plain.size()));
    put_fixed(expected, static_cast<std::uint32_t>(XXH64(plain.data(), plain.size(), 0)));
    BOOST_TEST((stock_decompress(file.substr(at, size)) == plain));
    at += size;
  }
  BOOST_TEST(at == table);
  expected += std::string("\x03\0\0\0\x80\xB1\xEA\x92\x8F", 9);
  BOOST_TEST((file.substr(table) == expected));
}

BOOST_AUTO_TEST_CASE(an_empty_file_is_a_table_alone) {
  const ScratchDirectory scratch;
  write_frames(scratch / "file", "", 100);
  BOOST_TEST((take_file(scratch / "file") ==
              std::string("\x5E\x2A\x4D\x18\x09\0\0\0\0\0\0\0\x80\xB1\xEA\x92\x8F", 17)));
}

BOOST_AUTO_TEST_CASE(higher_levels_make_smaller_files) {
  const ScratchDirectory scratch;
  Random random(13);
  const std::string text = random.join({"the ", "a ", "of ", "and ", "in ", "to ", "was ", "it "}, 20'000);
  write_frames(scratch / "1", text, 1 << 20, 1);
  write_frames(scratch / "19", text, 1 << 20, 19);
  BOOST_TEST(take_file(scratch / "19").size() < take_file(scratch / "1").size());
  BOOST_TEST((stock_decompress(take_file(scratch / "19")) == text));
}

BOOST_AUTO_TEST_CASE(appears_at_commit_and_knows_its_size_and_checksum) {
  const ScratchDirectory scratch;
  {
    FrameWriter writer(scratch / "file", 1, 10);
    writer.append("not committed, though some frames are full");
  }
  BOOST_TEST(std::filesystem::is_empty(scratch.path()));
  FrameWriter writer(scratch / "file", 1, 10);
  writer.append("some bytes and more");
  BOOST_TEST(!std::filesystem::exists(scratch / "file"));
  writer.commit();
  const std::string file = take_file(scratch / "file");
  BOOST_TEST(writer.file().size() == file.size());
  BOOST_TEST(writer.file().checksum() == Checksum::of(file));
}

BOOST_AUTO_TEST_SUITE_END()
