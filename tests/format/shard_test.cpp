#include "format/shard.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/test/unit_test.hpp>

#include "io/frames.h"
#include "io/scratch.h"

using namespace tokmill;
using namespace tokmill::test;
namespace json = boost::json;

namespace {

ShardFormat format_of(bool compressed, std::uint32_t id_bytes, std::uint32_t frame_size = 64) {
  ShardFormat format;
  format.compressed = compressed;
  format.id_bytes = id_bytes;
  format.frame_size = frame_size;
  return format;
}

std::vector<ShardFormat> all_formats() {
  return {format_of(true, 2), format_of(true, 4), format_of(false, 2), format_of(false, 4)};
}

ShardRecord join(const std::vector<std::string>& stems, const std::vector<ShardRecord>& records,
                 const std::string& stem, const ShardFormat& format) {
  ShardWriter writer(stem, format);
  for (std::size_t i = 0; i < stems.size(); ++i) writer.append_shard(stems[i], records[i]);
  return writer.commit();
}

/// A shard of `tokens` random ids, the last document open if `open`. The plain bytes go to `ids`.
ShardRecord write_shard(const std::string& stem, const ShardFormat& format, Random& random,
                        std::size_t tokens, std::string* ids = nullptr,
                        std::vector<std::uint64_t>* ends = nullptr) {
  const std::string bytes = mixed_bytes(random, tokens * format.id_bytes);
  ShardWriter writer(stem, format);
  std::size_t done = 0;
  while (done < tokens) {
    const std::size_t count = random.between(1, std::min<std::size_t>(tokens - done, 50));
    // An end may be told before or after the ids it follows.
    const bool ends_here = random.below(2) == 0, before = random.below(2) == 0;
    if (ends_here && before) writer.end_document(done + count);
    writer.append(std::string_view(bytes).substr(done * format.id_bytes, count * format.id_bytes));
    done += count;
    if (ends_here && !before) writer.end_document(done);
    if (ends_here && ends != nullptr) ends->push_back(done);
  }
  if (ids != nullptr) *ids = bytes;
  return writer.commit();
}

std::string read_ids(const std::string& stem, const ShardFormat& format) {
  ShardReader reader(stem, format);
  std::string out;
  for (std::string_view piece; !(piece = reader.next()).empty();) out += piece;
  BOOST_TEST(reader.next().empty());
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(shard_test)

BOOST_AUTO_TEST_CASE(formats_have_names) {
  BOOST_TEST(format_of(true, 2).extension() == ".bin.zst");
  BOOST_TEST(format_of(false, 2).extension() == ".bin");
  BOOST_TEST(format_of(true, 2).dtype() == "uint16");
  BOOST_TEST(format_of(true, 4).dtype() == "uint32");
  BOOST_TEST(ShardFormat::id_bytes_of("uint16") == 2);
  BOOST_TEST(ShardFormat::id_bytes_of("uint32") == 4);
  for (const char* name : {"", "int16", "uint8", "uint64", "UINT16"}) {
    BOOST_CHECK_THROW(ShardFormat::id_bytes_of(name), UsageError);
  }
}

BOOST_AUTO_TEST_CASE(ids_and_document_ends_are_what_was_written) {
  const ScratchDirectory scratch;
  Random random(80);
  for (const ShardFormat& format : all_formats()) {
    for (const std::size_t tokens : {0u, 1u, 32u, 33u, 5000u}) {
      const std::string stem = scratch / "shard", path = stem + format.extension();
      std::string ids;
      std::vector<std::uint64_t> ends;
      const ShardRecord record = write_shard(stem, format, random, tokens, &ids, &ends);
      BOOST_TEST((read_ids(stem, format) == ids));
      BOOST_TEST(ShardReader(stem, format).path() == path);

      const std::string file = take_file(path), index = take_file(stem + ".idx");
      BOOST_TEST(((format.compressed ? stock_decompress(file) : file) == ids));
      std::string expected_index;
      for (const std::uint64_t end : ends) put_fixed(expected_index, end);
      BOOST_TEST((index == expected_index));

      BOOST_TEST(record.tokens == tokens);
      BOOST_TEST(record.documents == ends.size());
      BOOST_TEST(record.bytes == file.size());
      BOOST_TEST(record.checksum == spell_checksum(Checksum::of(file)));
      BOOST_REQUIRE(record.parts.size() == 1);
      BOOST_TEST(record.parts[0].tokens == tokens);
      BOOST_TEST(record.parts[0].checksum == spell_checksum(Checksum::of(ids)));
      BOOST_TEST(record.index_checksum == spell_checksum(Checksum::of(index)));
    }
  }
}

BOOST_AUTO_TEST_CASE(a_long_plain_shard_is_read_in_pieces) {
  const ScratchDirectory scratch;
  Random random(81);
  const ShardFormat format = format_of(false, 4);
  for (const std::size_t tokens : {std::size_t{1} << 18, (std::size_t{1} << 19) + 3}) {  // 1 MiB, and over 2
    std::string ids;
    write_shard(scratch / "shard", format, random, tokens, &ids);
    BOOST_TEST((read_ids(scratch / "shard", format) == ids));
    BOOST_TEST(ShardReader(scratch / "shard", format).next().size() % 4 == 0);
  }
}

BOOST_AUTO_TEST_CASE(several_become_one) {
  const ScratchDirectory scratch;
  Random random(85);
  for (const ShardFormat& format : all_formats()) {
    for (const std::vector<std::size_t>& sizes : std::vector<std::vector<std::size_t>>{
             {10}, {0}, {0, 0}, {100, 0, 3}, {31, 33, 1, 700, 32}, {5'000, 5'000}}) {
      std::string ids;
      std::vector<std::uint64_t> ends;
      std::vector<std::string> stems;
      std::vector<ShardRecord> records;
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        std::string some_ids;
        std::vector<std::uint64_t> some_ends;
        stems.push_back(scratch / ("part-" + std::to_string(i)));
        records.push_back(write_shard(stems.back(), format, random, sizes[i], &some_ids, &some_ends));
        records.back().pretokens = i + 1;
        for (const std::uint64_t end : some_ends) ends.push_back(ids.size() / format.id_bytes + end);
        ids += some_ids;
      }
      const std::string stem = scratch / "joined";
      const ShardRecord record = join(stems, records, stem, format);
      check_shard_files(stem, format, record);
      BOOST_TEST((read_ids(stem, format) == ids));
      if (format.compressed) BOOST_TEST((stock_decompress(take_file(stem + ".bin.zst")) == ids));
      std::string index;
      for (const std::uint64_t end : ends) put_fixed(index, end);
      BOOST_TEST((take_file(stem + ".idx") == index));
      BOOST_TEST(record.tokens == ids.size() / format.id_bytes);
      BOOST_TEST(record.documents == ends.size());
      BOOST_TEST(record.pretokens == sizes.size() * (sizes.size() + 1) / 2);
      BOOST_TEST(record.parts.size() == sizes.size());
      BOOST_TEST(record.bytes == take_file(stem + format.extension()).size());

      ShardWriter writer(scratch / "at-once", format);
      std::size_t begin = 0;
      for (const std::size_t size : sizes) {
        writer.append(std::string_view(ids).substr(begin, size * format.id_bytes));
        writer.end_part();
        begin += size * format.id_bytes;
      }
      for (const std::uint64_t end : ends) writer.end_document(end);
      ShardRecord at_once = writer.commit();
      at_once.pretokens = record.pretokens;
      BOOST_TEST((at_once == record), "parts written one after the other are another shard");
      BOOST_TEST(
          (take_file(scratch / ("at-once" + format.extension())) == take_file(stem + format.extension())));

      PartChecker checker(record, format);
      for (std::size_t at = 0; at < ids.size();) {
        const std::size_t count = random.between(1, 300);
        checker.update(std::string_view(ids).substr(at, count));
        at += count;
      }
      BOOST_TEST(checker.agrees());
    }
  }
}

BOOST_AUTO_TEST_CASE(ids_before_another_shard_are_a_part) {
  const ScratchDirectory scratch;
  Random random(87);
  for (const ShardFormat& format : all_formats()) {
    std::string other_ids;
    const ShardRecord other = write_shard(scratch / "other", format, random, 40, &other_ids);
    const std::string ids = mixed_bytes(random, 30 * format.id_bytes);
    ShardWriter writer(scratch / "both", format);
    writer.append(ids);
    writer.append_shard(scratch / "other", other);
    writer.append(ids);
    const ShardRecord record = writer.commit();
    BOOST_TEST((read_ids(scratch / "both", format) == ids + other_ids + ids));
    const ShardRecord::Part part{30, spell_checksum(Checksum::of(ids))};
    BOOST_TEST((record.parts == std::vector<ShardRecord::Part>{part, other.parts.at(0), part}));
  }
}

BOOST_AUTO_TEST_CASE(a_damaged_part_is_not_joined) {
  const ScratchDirectory scratch;
  Random random(86);
  for (const ShardFormat& format : all_formats()) {
    const std::vector<std::string> stems = {scratch / "a", scratch / "b"};
    const std::vector<ShardRecord> records = {write_shard(stems[0], format, random, 50),
                                              write_shard(stems[1], format, random, 60)};
    for (const std::string& path : {stems[1] + format.extension(), stems[1] + ".idx"}) {
      std::size_t unseen = 0;
      for_each_flip(path, 0, take_file(path).size(), [&](std::size_t, int) {
        const auto attempt = [&] { join(stems, records, scratch / "joined", format); };
        unseen += !says(error_of(attempt), path + ": damaged");
      });
      BOOST_TEST(unseen == 0, path);
    }
  }
}

BOOST_AUTO_TEST_CASE(ids_of_other_parts_are_seen) {
  const ShardFormat format = format_of(true, 2);
  const std::string ids = "aabbccdd";
  const auto part = [](std::uint64_t tokens, std::string_view bytes) {
    return ShardRecord::Part{tokens, spell_checksum(Checksum::of(bytes))};
  };
  const auto agrees = [&](const std::vector<ShardRecord::Part>& parts) {
    ShardRecord record;
    record.parts = parts;
    PartChecker checker(record, format);
    checker.update(ids);
    return checker.agrees();
  };
  BOOST_TEST(agrees({part(4, "aabbccdd")}));
  BOOST_TEST(agrees({part(1, "aa"), part(0, ""), part(3, "bbccdd")}));
  BOOST_TEST(!agrees({part(1, "aa"), part(0, "a"), part(3, "bbccdd")}));
  BOOST_TEST(!agrees({part(1, "aa"), part(3, "bbccde")}));
  BOOST_TEST(!agrees({part(1, "ab"), part(3, "bbccdd")}));
  BOOST_TEST(!agrees({part(2, "aabb"), part(1, "cc")}));
  BOOST_TEST(!agrees({part(4, "aabbccdd"), part(1, "ee")}));
  BOOST_TEST(!agrees({}));
}

BOOST_AUTO_TEST_CASE(records_go_to_json_and_back) {
  const ShardRecord record{~std::uint64_t{0}, 2, 3, 4, "xxh3:5", "xxh3:6", {{1, "xxh3:7"}, {2, "xxh3:8"}}};
  BOOST_TEST((ShardRecord::from_json(json::parse(json::serialize(record.to_json())).as_object()) == record));
  for (const auto& member : record.to_json()) {
    json::object lacking = record.to_json();
    lacking.erase(member.key());
    BOOST_CHECK_THROW(ShardRecord::from_json(lacking), std::exception);
  }
}

BOOST_AUTO_TEST_CASE(every_flipped_bit_is_found) {
  const ScratchDirectory scratch;
  Random random(82);
  for (const ShardFormat& format : all_formats()) {
    const std::string stem = scratch / "shard";
    const ShardRecord record = write_shard(stem, format, random, 100);
    const auto error = [&] { return error_of([&] { check_shard_files(stem, format, record); }); };
    BOOST_TEST(error() == "");
    for (const std::string& path : {stem + format.extension(), stem + ".idx"}) {
      std::size_t unseen = 0;
      for_each_flip(path, 0, take_file(path).size(),
                    [&](std::size_t, int) { unseen += !says(error(), path + ": damaged"); });
      BOOST_TEST(unseen == 0, path);
      BOOST_TEST(error() == "");
    }
  }
}

BOOST_AUTO_TEST_CASE(a_file_cut_anywhere_or_missing_is_found) {
  const ScratchDirectory scratch;
  Random random(83);
  for (const ShardFormat& format : all_formats()) {
    const std::string stem = scratch / "shard";
    for (const std::string& path : {stem + format.extension(), stem + ".idx"}) {
      const ShardRecord record = write_shard(stem, format, random, 100);
      const auto error = [&] { return error_of([&] { check_shard_files(stem, format, record); }); };
      std::size_t unseen = 0;
      for_each_cut(path, [&](std::size_t) { unseen += !says(error(), path + ": damaged"); });
      BOOST_TEST(unseen == 0, path);
      std::filesystem::remove(path);
      BOOST_TEST(says(error(), path + ": cannot be opened"));
    }
  }
}

BOOST_AUTO_TEST_CASE(nothing_appears_without_a_commit) {
  const ScratchDirectory scratch;
  for (const ShardFormat& format : all_formats()) {
    ShardWriter writer(scratch / "shard", format);
    writer.append(std::string(1000, 'x'));
    writer.end_document(3);
    BOOST_TEST(!std::filesystem::exists(scratch / "shard" + format.extension()));
  }
  BOOST_TEST(std::filesystem::is_empty(scratch.path()));
}

BOOST_AUTO_TEST_SUITE_END()
