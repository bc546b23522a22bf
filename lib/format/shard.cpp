#include "format/shard.h"

#include <algorithm>
#include <boost/json/value_to.hpp>

#include "io/error.h"

namespace tokmill {

namespace json = boost::json;

namespace {
constexpr char kIndex[] = ".idx";
constexpr std::size_t kPiece = 1 << 20;
}  // namespace

std::uint32_t ShardFormat::id_bytes_of(const std::string& dtype) {
  if (dtype == "uint16") return 2;
  if (dtype == "uint32") return 4;
  throw UsageError("'" + dtype + "' is no dtype; use uint16 or uint32");
}

json::object ShardRecord::to_json() const {
  return {{"tokens", tokens},
          {"documents", documents},
          {"pretokens", pretokens},
          {"bytes", bytes},
          {"checksum", checksum},
          {"ids_checksum", ids_checksum},
          {"index_checksum", index_checksum}};
}

ShardRecord ShardRecord::from_json(const json::object& object) {
  const auto number = [&](const char* name) { return json::value_to<std::uint64_t>(object.at(name)); };
  const auto text = [&](const char* name) { return json::value_to<std::string>(object.at(name)); };
  return {number("tokens"), number("documents"),  number("pretokens"),   number("bytes"),
          text("checksum"), text("ids_checksum"), text("index_checksum")};
}

ShardWriter::ShardWriter(const std::string& stem, const ShardFormat& format) : stem_(stem), format_(format) {
  const std::string path = stem_ + format_.extension();
  if (format_.compressed) {
    ids_ = std::make_unique<FrameWriter>(path, format_.level, format_.frame_size);
  } else {
    ids_ = std::make_unique<AtomicFile>(path);
  }
}

void ShardWriter::append(std::string_view ids) {
  id_bytes_written_ += ids.size();
  ids_checksum_.update(ids);
  std::visit([&](auto& file) { file->append(ids); }, ids_);
}

ShardRecord ShardWriter::commit() {
  std::visit([](auto& file) { file->commit(); }, ids_);
  write_file(stem_ + kIndex, index_);
  const AtomicFile& file = format_.compressed ? std::get<0>(ids_)->file() : *std::get<1>(ids_);
  return {id_bytes_written_ / format_.id_bytes,
          index_.size() / sizeof(std::uint64_t),
          0,
          file.size(),
          spell_checksum(file.checksum()),
          spell_checksum(ids_checksum_.value()),
          spell_checksum(Checksum::of(index_))};
}

ShardReader::ShardReader(const std::string& stem, const ShardFormat& format)
    : path_(stem + format.extension()) {
  if (format.compressed) {
    frames_ = std::make_unique<FrameReader>(path_);
  } else {
    plain_ = std::make_unique<File>(path_);
  }
}

std::string_view ShardReader::next() {
  if (frames_) return at_ < frames_->frames().size() ? frames_->read(at_++) : std::string_view();
  piece_.resize(std::min<std::uint64_t>(kPiece, plain_->size() - at_));
  plain_->read_at(at_, piece_.data(), piece_.size());
  at_ += piece_.size();
  return piece_;
}

void check_shard_files(const std::string& stem, const ShardFormat& format, const ShardRecord& record) {
  const auto check = [](const std::string& path, const std::string& checksum) {
    if (spell_checksum(checksum_of_file(path)) != checksum) {
      throw Error::at(path, "damaged: it does not agree with the checksum written for it");
    }
  };
  check(stem + format.extension(), record.checksum);
  check(stem + kIndex, record.index_checksum);
}

}  // namespace tokmill
