#include "format/shard.h"

#include <algorithm>
#include <boost/json/value_to.hpp>

#include "io/error.h"
#include "io/file.h"

namespace tokmill {

namespace json = boost::json;

namespace {
constexpr std::size_t kPiece = 1 << 20;
}  // namespace

std::uint32_t ShardFormat::id_bytes_of(const std::string& dtype) {
  if (dtype == "uint16") return 2;
  if (dtype == "uint32") return 4;
  throw UsageError("'" + dtype + "' is no dtype; use uint16 or uint32");
}

json::object ShardRecord::to_json() const {
  json::array list;
  for (const Part& part : parts) list.push_back(json::array{part.tokens, json::string(part.checksum)});
  return {{"tokens", tokens},        {"documents", documents}, {"pretokens", pretokens},
          {"bytes", bytes},          {"checksum", checksum},   {"index_checksum", index_checksum},
          {"parts", std::move(list)}};
}

ShardRecord ShardRecord::from_json(const json::object& object) {
  const auto number = [&](const char* name) { return json::value_to<std::uint64_t>(object.at(name)); };
  const auto text = [&](const char* name) { return json::value_to<std::string>(object.at(name)); };
  ShardRecord record{number("tokens"), number("documents"), number("pretokens"),
                     number("bytes"),  text("checksum"),    text("index_checksum")};
  for (const json::value& part : object.at("parts").as_array()) {
    record.parts.push_back(
        {json::value_to<std::uint64_t>(part.at(0)), json::value_to<std::string>(part.at(1))});
  }
  return record;
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

void ShardWriter::end_part() {
  if (format_.compressed) std::get<0>(ids_)->end_frame();
  const std::uint64_t tokens = (id_bytes_written_ - part_begin_) / format_.id_bytes;
  parts_.push_back({tokens, spell_checksum(ids_checksum_.value())});
  part_begin_ = id_bytes_written_;
  ids_checksum_ = Checksum();
}

void ShardWriter::append_shard(const std::string& stem, const ShardRecord& record) {
  check_shard_files(stem, format_, record);
  if (id_bytes_written_ > part_begin_) end_part();
  if (format_.compressed) {
    std::get<0>(ids_)->append_frames(stem + format_.extension());
  } else {
    ShardReader reader(stem, format_);
    for (std::string_view ids = reader.next(); !ids.empty(); ids = reader.next()) {
      std::get<1>(ids_)->append(ids);
    }
  }
  const std::uint64_t before = tokens();
  const std::string ends = read_file(shard_index_path(stem));
  for (std::size_t at = 0; at < ends.size(); at += sizeof(std::uint64_t)) {
    end_document(before + get_fixed<std::uint64_t>(ends.data() + at));
  }
  id_bytes_written_ += record.tokens * format_.id_bytes;
  part_begin_ = id_bytes_written_;
  pretokens_ += record.pretokens;
  parts_.insert(parts_.end(), record.parts.begin(), record.parts.end());
}

ShardRecord ShardWriter::commit() {
  if (parts_.empty() || id_bytes_written_ > part_begin_) end_part();
  std::visit([](auto& file) { file->commit(); }, ids_);
  write_file(shard_index_path(stem_), index_);
  const AtomicFile& file = format_.compressed ? std::get<0>(ids_)->file() : *std::get<1>(ids_);
  return {tokens(),         index_.size() / sizeof(std::uint64_t), pretokens_,
          file.size(),      spell_checksum(file.checksum()),       spell_checksum(Checksum::of(index_)),
          std::move(parts_)};
}

PartChecker::PartChecker(const ShardRecord& record, const ShardFormat& format)
    : parts_(record.parts),
      id_bytes_(format.id_bytes),
      rest_(parts_.empty() ? 0 : parts_.front().tokens * id_bytes_) {}

void PartChecker::update(std::string_view ids) {
  while (!ids.empty()) {
    finish_parts();
    if (part_ == parts_.size()) {
      same_ = false;
      return;
    }
    const std::string_view piece = ids.substr(0, rest_);
    checksum_.update(piece);
    rest_ -= piece.size();
    ids.remove_prefix(piece.size());
  }
}

bool PartChecker::agrees() {
  finish_parts();
  return same_ && part_ == parts_.size();
}

void PartChecker::finish_parts() {
  for (; part_ < parts_.size() && rest_ == 0; checksum_ = Checksum()) {
    same_ = same_ && spell_checksum(checksum_.value()) == parts_[part_].checksum;
    ++part_;
    rest_ = part_ < parts_.size() ? parts_[part_].tokens * id_bytes_ : 0;
  }
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

std::string shard_index_path(const std::string& stem) {
  return stem + ".idx";
}

void remove_shard_files(const std::string& stem, const ShardFormat& format) {
  remove_file(stem + format.extension());
  remove_file(shard_index_path(stem));
}

void check_shard_files(const std::string& stem, const ShardFormat& format, const ShardRecord& record) {
  const auto check = [](const std::string& path, const std::string& checksum) {
    if (spell_checksum(checksum_of_file(path)) != checksum) {
      throw Error::at(path, "damaged: it does not agree with the checksum written for it");
    }
  };
  check(stem + format.extension(), record.checksum);
  check(shard_index_path(stem), record.index_checksum);
}

}  // namespace tokmill
