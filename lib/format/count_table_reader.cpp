#include "format/count_table_reader.h"

#include <algorithm>
#include <boost/json/value_to.hpp>

#include "format/count_table_format.h"
#include "format/json_text.h"
#include "io/coding.h"
#include "io/error.h"
#include "io/frame_codec.h"

namespace tokmill {

using namespace count_table_format;
namespace json = boost::json;

CountTableReader::CountTableReader(const std::string& path) : file_(path) {
  const std::uint64_t size = file_.size();
  const auto damaged = [&](const std::string& what) {
    return Error::at(path, "damaged count table: " + what);
  };
  if (size < kMagic.size() + kTrailer || file_.read_at(0, kMagic.size()) != kMagic) {
    throw Error::at(path, "is not a count table");
  }
  const std::string trailer = file_.read_at(size - kTrailer, kTrailer);
  const auto length = get_fixed<std::uint64_t>(trailer.data());
  if (std::string_view(trailer).substr(16) != kMagic || length > size - kMagic.size() - kTrailer) {
    throw damaged("its end is not the end of a table");
  }
  const std::string text = file_.read_at(size - kTrailer - length, length);
  if (Checksum::of(text) != get_fixed<std::uint64_t>(trailer.data() + 8)) {
    throw damaged("its footer does not agree with its checksum");
  }
  std::uint64_t covered = kMagic.size();
  try {
    footer_ = parse_object(text, path);
    info_ = CountTableInfo::from_json(footer_);
    for (const json::value& value : footer_.at("partitions").as_array()) {
      const json::object& place = value.as_object();
      const auto number = [&](const char* name) { return json::value_to<std::uint64_t>(place.at(name)); };
      partitions_.push_back({number("offset"), number("stored"), number("entries"), number("pretokens"),
                             json::value_to<std::string>(place.at("checksum"))});
      covered += partitions_.back().stored;
    }
  } catch (const std::exception& error) {
    throw damaged(error.what());
  }
  if (partitions_.size() != kPartitions || covered != size - kTrailer - length) {
    throw damaged("its partitions do not add up");
  }
}

void CountTableReader::read_stored(std::size_t index,
                                   const std::function<void(std::string_view)>& take) const {
  const Partition& partition = partitions_[index];
  Checksum checksum;
  std::string piece;
  for (std::uint64_t done = 0; done < partition.stored; done += piece.size()) {
    piece.resize(std::min<std::uint64_t>(partition.stored - done, 1 << 20));
    file_.read_at(partition.offset + done, piece.data(), piece.size());
    checksum.update(piece);
    take(piece);
  }
  if (spell_checksum(checksum.value()) != partition.checksum) {
    throw Error::at(
        path(), partition.offset,
        "damaged count table: partition " + std::to_string(index) + " does not agree with its checksum");
  }
}

void CountTableReader::verify() const {
  for (std::size_t i = 0; i < kPartitions; ++i) read_stored(i, [](std::string_view) {});
}

CountTableReader::Entries::Entries(const CountTableReader& table, std::size_t partition)
    : table_(&table),
      offset_(table.partitions_[partition].offset),
      end_(offset_ + table.partitions_[partition].stored) {}

void CountTableReader::Entries::read_block() {
  thread_local FrameDecompressor decompressor;  // one does for all: a block is read in one go
  const auto damaged = [&] { return Error::at(table_->path(), offset_, "damaged count table: a bad block"); };
  if (end_ - offset_ < kBlockHeader) throw damaged();
  const std::string header = table_->file_.read_at(offset_, kBlockHeader);
  const auto stored = get_fixed<std::uint64_t>(header.data());
  const auto plain = get_fixed<std::uint64_t>(header.data() + 8);
  if (stored > end_ - offset_ - kBlockHeader) throw damaged();
  const std::uint64_t stored_at = offset_ + kBlockHeader;
  if (stored == plain) {
    plain_.resize(plain);
    table_->file_.read_at(stored_at, plain_.data(), plain);
  } else {
    stored_.resize(stored);
    table_->file_.read_at(stored_at, stored_.data(), stored);
    if (!FrameDecompressor::holds(stored_, plain)) throw damaged();
    plain_.resize(plain);
    if (decompressor.decompress(stored_, plain_.data(), plain) != nullptr) throw damaged();
  }
  offset_ += kBlockHeader + stored;
  at_ = plain_.data();
  plain_end_ = at_ + plain;
}

bool CountTableReader::Entries::next() {
  if (at_ == plain_end_) {
    if (offset_ == end_) return false;
    read_block();
  }
  std::uint64_t length;
  if (!get_varint(at_, plain_end_, length) || length > static_cast<std::uint64_t>(plain_end_ - at_)) {
    throw Error::at(table_->path(), "damaged count table: a bad entry");
  }
  pretoken_ = {at_, length};
  at_ += length;
  if (!get_varint(at_, plain_end_, count_))
    throw Error::at(table_->path(), "damaged count table: a bad count");
  return true;
}

}  // namespace tokmill
