// Reads a count table.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "format/count_table.h"
#include "format/count_table_format.h"
#include "io/file.h"

namespace tokmill {

/// Random access by partition. Opening checks the beginning and the footer; `verify` all the rest. Damage is
/// an Error that names the file and the offset.
class CountTableReader {
 public:
  explicit CountTableReader(const std::string& path);

  const CountTableInfo& info() const { return info_; }
  /// The footer as written, with what the writer added to it.
  const boost::json::object& footer() const { return footer_; }
  const std::string& path() const { return file_.path(); }
  /// How its writer was told to store blocks.
  TableStorage storage() const {
    return footer_.contains("plain") ? TableStorage::kPlain : TableStorage::kCompressed;
  }
  std::uint64_t entries(std::size_t partition) const { return partitions_[partition].entries; }
  std::uint64_t pretokens(std::size_t partition) const { return partitions_[partition].pretokens; }

  /// Hands over the stored bytes of a partition in pieces, and checks their checksum at the end.
  void read_stored(std::size_t partition, const std::function<void(std::string_view)>& take) const;
  /// Compares every partition with its checksum.
  void verify() const;

  /// The entries of a partition, in order. Memory: a block. The reader must outlive it.
  class Entries {
   public:
    /// Bytes that one takes, if no pretoken is longer than a block.
    static constexpr std::uint64_t kMemory = 3 * count_table_format::kBlock;

    Entries(const CountTableReader& table, std::size_t partition);

    /// Goes to the next entry, the first one at first; false at the end.
    bool next();
    /// Valid until the next call of `next`.
    std::string_view pretoken() const { return pretoken_; }
    std::uint64_t count() const { return count_; }

   private:
    void read_block();

    const CountTableReader* table_;
    std::uint64_t offset_, end_;  // of what is still to be read, in the file
    std::string stored_;
    std::vector<char> plain_;  // no string: a short one would leave `pretoken_` behind when this is moved
    const char* at_ = nullptr;
    const char* plain_end_ = nullptr;
    std::string_view pretoken_;
    std::uint64_t count_ = 0;
  };

 private:
  struct Partition {
    std::uint64_t offset, stored, entries, pretokens;
    std::string checksum;
  };
  File file_;
  CountTableInfo info_;
  boost::json::object footer_;
  std::vector<Partition> partitions_;
};

}  // namespace tokmill
