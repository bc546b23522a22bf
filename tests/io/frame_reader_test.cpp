#include "io/frame_reader.h"

#include <boost/test/unit_test.hpp>

#include "io/coding.h"
#include "io/frames.h"
#include "io/scratch.h"

using namespace tokmill;
using namespace tokmill::test;

namespace {

constexpr std::size_t kTableOverhead = frame_format::kHeaderBytes + frame_format::kFooterBytes;

std::size_t table_bytes(std::size_t frames) {
  return kTableOverhead + frames * frame_format::kEntryBytes;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(frame_reader_test)

BOOST_AUTO_TEST_CASE(reads_every_frame_alone) {
  const ScratchDirectory scratch;
  Random random(14);
  for (const std::uint32_t frame_size : {1u, 9u, 100u, 5000u}) {
    for (const std::size_t frames : {1u, 2u, 7u}) {
      const std::size_t size = frame_size * frames - random.below(frame_size);
      const std::string bytes = mixed_bytes(random, size), path = scratch / "file";
      write_frames(path, bytes, frame_size);
      FrameReader reader(path);
      BOOST_TEST(reader.plain_size() == size);
      BOOST_REQUIRE(reader.frames().size() == frames);
      std::vector<std::size_t> order;
      for (std::size_t i = 0; i < 2 * frames; ++i) order.push_back(random.below(frames));
      order.push_back(0);
      order.push_back(frames - 1);
      for (const std::size_t i : order) {
        BOOST_TEST(reader.frames()[i].plain_offset == i * frame_size);
        BOOST_TEST((reader.read(i) == std::string_view(bytes).substr(i * frame_size, frame_size)));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(an_empty_file_has_no_frames) {
  const ScratchDirectory scratch;
  write_frames(scratch / "file", "", 100);
  FrameReader reader(scratch / "file");
  BOOST_TEST(reader.frames().empty());
  BOOST_TEST(reader.plain_size() == 0);
  BOOST_CHECK_THROW(reader.read(0), std::out_of_range);
}

// zstd leaves a few bits of a frame without a meaning; those alone may change unseen.
BOOST_AUTO_TEST_CASE(every_flipped_bit_is_found_or_changes_nothing) {
  const ScratchDirectory scratch;
  Random random(15);
  const std::string path = scratch / "file";
  for (const std::size_t frames : {0u, 1u, 3u}) {
    const std::string bytes = mixed_bytes(random, frames * 150);
    write_frames(path, bytes, 150);
    const std::size_t size = take_file(path).size(), table = size - table_bytes(frames);
    std::size_t unseen = 0;
    for_each_flip(path, 0, size, [&](std::size_t at, int bit) {
      std::string read;
      const std::string error = error_of([&] { read = read_frames(path); });
      if (!error.empty()) return;
      ++unseen;
      BOOST_TEST((at < table && read == bytes), "bit " << bit << " of byte " << at << " changed unseen");
    });
    BOOST_TEST(unseen <= 8 * frames);
    BOOST_TEST((read_frames(path) == bytes));  // all bits are back in place
  }
}

BOOST_AUTO_TEST_CASE(damage_is_named_with_its_frame_and_place) {
  const ScratchDirectory scratch;
  Random random(16);
  const std::string path = scratch / "file";
  write_frames(path, random.bytes(300), 100);
  const std::uint64_t offset = FrameReader(path).frames()[1].offset;
  std::string file = take_file(path);
  file[offset + 50] ^= 1;
  put_file(path, file);
  FrameReader reader(path);
  BOOST_CHECK_NO_THROW(reader.read(0));
  BOOST_TEST(says(error_of([&] { reader.read(1); }),
                  path + ": byte " + std::to_string(offset) + ": damaged frame 1: "));
  BOOST_CHECK_NO_THROW(reader.read(2));
}

BOOST_AUTO_TEST_CASE(a_file_cut_anywhere_is_an_error) {
  const ScratchDirectory scratch;
  Random random(17);
  const std::string path = scratch / "file";
  for (const std::size_t frames : {0u, 1u, 4u}) {
    write_frames(path, mixed_bytes(random, frames * 90), 90);
    for_each_cut(path, [&](std::size_t size) {
      BOOST_TEST(says(error_of([&] { FrameReader reader(path); }), path + ": damaged: "), size << " bytes");
    });
  }
}

BOOST_AUTO_TEST_CASE(bytes_that_are_missing_in_the_middle_are_noticed) {
  const ScratchDirectory scratch;
  Random random(18);
  const std::string path = scratch / "file";
  write_frames(path, random.bytes(200), 100);
  const std::string file = take_file(path);
  for (std::size_t at = 0; at < file.size(); at += 3) {
    put_file(path, file.substr(0, at) + file.substr(at + 1));
    BOOST_TEST(error_of([&] { read_frames(path); }) != "");
    put_file(path, file.substr(0, at) + "x" + file.substr(at));
    BOOST_TEST(error_of([&] { read_frames(path); }) != "");
  }
}

BOOST_AUTO_TEST_CASE(bytes_between_the_frames_and_the_table_are_noticed) {
  const ScratchDirectory scratch;
  Random random(21);
  const std::string path = scratch / "file";
  write_frames(path, random.bytes(200), 100);
  const std::string file = take_file(path);
  const std::size_t table = file.size() - table_bytes(2);
  put_file(path, file.substr(0, table) + "more" + file.substr(table));
  BOOST_TEST(says(error_of([&] { FrameReader reader(path); }), "sizes do not add up to the file's"));
}

BOOST_AUTO_TEST_CASE(frames_of_another_file_do_not_pass) {
  const ScratchDirectory scratch;
  Random random(19);
  write_frames(scratch / "a", random.bytes(200),
               100);  // noise: both are stored as they are, and alike in size
  write_frames(scratch / "b", random.bytes(200), 100);
  const std::string a = take_file(scratch / "a"), b = take_file(scratch / "b");
  BOOST_REQUIRE(a.size() == b.size());
  const std::size_t table = a.size() - table_bytes(2);
  put_file(scratch / "both", a.substr(0, table) + b.substr(table));
  FrameReader reader(scratch / "both");
  BOOST_TEST(says(error_of([&] { reader.read(0); }), "its checksum is not the one in the seek table"));
}

BOOST_AUTO_TEST_CASE(a_table_that_promises_too_much_costs_no_memory) {
  const ScratchDirectory scratch;
  const std::string path = scratch / "file";
  write_frames(path, std::string(100, 'x'), 100);
  std::string file = take_file(path);
  const std::size_t table = file.size() - table_bytes(1);

  std::string lie = file;
  lie.replace(table + 12, 4, "\xFF\xFF\xFF\xFF");  // the frame's plain size
  put_file(path, lie);
  BOOST_TEST(says(error_of([&] { read_frames(path); }), "its size is not the one in the seek table"));

  lie = file;
  lie.replace(lie.size() - 9, 4, "\xFF\xFF\xFF\xFF");  // the number of frames
  put_file(path, lie);
  BOOST_TEST(says(error_of([&] { FrameReader reader(path); }), "the seek table is longer than the file"));
}

BOOST_AUTO_TEST_CASE(other_files_are_no_framed_files) {
  const ScratchDirectory scratch;
  Random random(20);
  for (const std::size_t size : {0u, 1u, 16u, 17u, 18u, 1000u}) {
    put_file(scratch / "file", random.bytes(size));
    BOOST_CHECK_THROW(FrameReader(scratch / "file"), Error);
  }
  BOOST_CHECK_THROW(FrameReader(scratch / "missing"), Error);
}

BOOST_AUTO_TEST_SUITE_END()
