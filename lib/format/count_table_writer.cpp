#include "format/count_table_writer.h"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include "format/count_table_reader.h"
#include "io/coding.h"
#include "io/error.h"

namespace tokmill {

using namespace count_table_format;
namespace json = boost::json;

CountTableWriter::CountTableWriter(const std::string& path, TableStorage storage)
    : file_(path), storage_(storage), compressor_(path, kLevel, false), partitions_(kPartitions) {
  file_.append(kMagic);
}

void CountTableWriter::add(const CountTableOrder& pretoken, std::uint64_t count) {
  if (pretoken.partition() != current_) {
    finish_block();
    current_ = pretoken.partition();
  }
  put_varint(block_, pretoken.pretoken.size());
  block_.append(pretoken.pretoken);
  put_varint(block_, count);
  ++partitions_[current_].entries;
  partitions_[current_].pretokens += count;
  ++distinct_;
  if (block_.size() >= kBlock) finish_block();
}

void CountTableWriter::finish_block() {
  if (block_.empty()) return;
  std::string_view stored = block_;
  if (storage_ == TableStorage::kCompressed) {
    const std::string_view frame = compressor_.compress(block_);
    if (frame.size() < block_.size()) stored = frame;
  }
  std::string header;
  put_fixed(header, std::uint64_t{stored.size()});
  put_fixed(header, std::uint64_t{block_.size()});
  store(header);
  store(stored);
  block_.clear();
}

void CountTableWriter::store(std::string_view bytes) {
  Partition& partition = partitions_[current_];
  if (partition.stored == 0) partition.offset = file_.size();
  partition.stored += bytes.size();
  partition.checksum.update(bytes);
  file_.append(bytes);
}

void CountTableWriter::copy_partition(const CountTableReader& source, std::size_t partition) {
  finish_block();
  current_ = partition;
  partitions_[current_].entries = source.entries(partition);
  partitions_[current_].pretokens = source.pretokens(partition);
  distinct_ += source.entries(partition);
  source.read_stored(partition, [&](std::string_view bytes) { store(bytes); });
}

void CountTableWriter::commit(CountTableInfo info, const json::object& extra) {
  finish_block();
  info.distinct = info.pretokens = 0;
  json::array places;
  for (const Partition& partition : partitions_) {
    info.distinct += partition.entries;
    info.pretokens += partition.pretokens;
    places.push_back({{"offset", partition.offset},
                      {"stored", partition.stored},
                      {"entries", partition.entries},
                      {"pretokens", partition.pretokens},
                      {"checksum", spell_checksum(partition.checksum.value())}});
  }
  json::object footer = info.to_json();
  for (const auto& member : extra) footer.insert(member);
  if (storage_ == TableStorage::kPlain) footer["plain"] = true;
  footer["partitions"] = std::move(places);
  const std::string text = json::serialize(footer);
  std::string trailer;
  put_fixed(trailer, std::uint64_t{text.size()});
  put_fixed(trailer, Checksum::of(text));
  file_.append(text);
  file_.append(trailer);
  file_.append(kMagic);
  file_.commit();
}

}  // namespace tokmill
