// One token shard: the ids, and where its documents end.
//
//   NAME.bin.zst  the ids as a zstd seekable file (io/frame_format.h), or
//   NAME.bin      the same without compression
//   NAME.idx      u64 for each document that ends in the shard: the number of ids up to its end
//
// Where a shard was encoded in parts, a frame ends with each part. Ids are little-endian, 2 or 4 bytes each.
// A document that is longer than a shard goes on in the next one, and ends in the last it reaches.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "io/checksum.h"
#include "io/coding.h"
#include "io/frame_reader.h"
#include "io/frame_writer.h"

namespace tokmill {

/// How shards are stored.
struct ShardFormat {
  bool compressed = true;
  std::uint32_t id_bytes = 2;  // 2: uint16, 4: uint32
  int level = frame_format::kDefaultLevel;
  std::uint32_t frame_size = frame_format::kDefaultFrameSize;  // plain bytes

  std::string extension() const { return compressed ? ".bin.zst" : ".bin"; }
  std::string dtype() const { return id_bytes == 2 ? "uint16" : "uint32"; }
  /// Throws UsageError for another name.
  static std::uint32_t id_bytes_of(const std::string& dtype);
};

/// What is known of a finished shard.
struct ShardRecord {
  /// Ids that were encoded together; a shard is one or several such parts, one after the other.
  struct Part {
    std::uint64_t tokens;
    std::string checksum;  // of the plain ids
    bool operator==(const Part&) const = default;
  };

  std::uint64_t tokens = 0;
  std::uint64_t documents = 0;  // that end in it
  std::uint64_t pretokens = 0;
  std::uint64_t bytes = 0;     // of the ids' file
  std::string checksum;        // of the ids' file
  std::string index_checksum;  // of the index file
  std::vector<Part> parts = {};

  boost::json::object to_json() const;
  static ShardRecord from_json(const boost::json::object& object);
  bool operator==(const ShardRecord&) const = default;
};

/// Streams ids to a shard that appears when it is finished: parts of plain ids, or other shards, whose parts
/// become this one's; it is the same shard either way. Memory: a frame and the document ends.
class ShardWriter {
 public:
  /// `stem` is the path without its extension.
  ShardWriter(const std::string& stem, const ShardFormat& format);

  /// Ids as they lie in memory, `format.id_bytes` each.
  void append(std::string_view ids);
  /// A document ends after `tokens` ids of the shard, which may be yet to be appended.
  void end_document(std::uint64_t tokens) { put_fixed(index_, tokens); }
  /// Ends a part, which is the ids since the end of the one before.
  void end_part();
  /// All ids of another shard of the same format, frames as they are. Checks what it copies. Ends the part
  /// before, if there are ids in it.
  void append_shard(const std::string& stem, const ShardRecord& record);
  /// Ends the last part, if there are ids in it or it is the only one.
  ShardRecord commit();

  /// Ids so far.
  std::uint64_t tokens() const { return id_bytes_written_ / format_.id_bytes; }

 private:
  std::string stem_;
  ShardFormat format_;
  std::variant<std::unique_ptr<FrameWriter>, std::unique_ptr<AtomicFile>> ids_;
  Checksum ids_checksum_;  // of the part that is being written
  std::uint64_t id_bytes_written_ = 0, part_begin_ = 0;
  std::uint64_t pretokens_ = 0;  // of other shards
  std::vector<ShardRecord::Part> parts_;
  std::string index_;
};

/// Compares plain ids, as they are read, with the checksums of their parts.
class PartChecker {
 public:
  PartChecker(const ShardRecord& record, const ShardFormat& format);

  /// The next ids, `format.id_bytes` each.
  void update(std::string_view ids);
  /// Whether all ids of all parts have come, and are those of the record.
  bool agrees();

 private:
  void finish_parts();

  const std::vector<ShardRecord::Part>& parts_;
  std::uint32_t id_bytes_;
  std::size_t part_ = 0;
  std::uint64_t rest_;  // bytes of this part that are still to come
  Checksum checksum_;
  bool same_ = true;
};

/// Reads a shard from its beginning.
class ShardReader {
 public:
  ShardReader(const std::string& stem, const ShardFormat& format);

  /// The next plain ids, a frame or so of them; empty at the end. Valid until the next call.
  std::string_view next();
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::unique_ptr<FrameReader> frames_;
  std::unique_ptr<File> plain_;
  std::uint64_t at_ = 0;  // frame, or byte of the plain file
  std::string piece_;
};

/// The path of a shard's document ends.
std::string shard_index_path(const std::string& stem);
/// Removes both files of a shard.
void remove_shard_files(const std::string& stem, const ShardFormat& format);

/// Compares the shard's files with their checksums; an Error names the file that differs. This is how a
/// resumed run knows that a shard is done.
void check_shard_files(const std::string& stem, const ShardFormat& format, const ShardRecord& record);

}  // namespace tokmill
