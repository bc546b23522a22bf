// Writes a count table.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "format/count_table.h"
#include "format/count_table_format.h"
#include "io/atomic_file.h"
#include "io/frame_codec.h"

namespace tokmill {

class CountTableReader;

/// Streams entries, in canonical order, to a file that appears when it is finished. Memory: a block.
class CountTableWriter {
 public:
  explicit CountTableWriter(const std::string& path, TableStorage storage = TableStorage::kCompressed);

  /// The next entry: `pretoken` comes after all before it, and count > 0.
  void add(const CountTableOrder& pretoken, std::uint64_t count);
  /// Copies a whole partition, as it is stored, which comes after all entries before it.
  void copy_partition(const CountTableReader& source, std::size_t partition);
  /// Writes the rest. `info.distinct` and `info.pretokens` are filled in from the entries. `extra` goes into
  /// the footer as it is.
  void commit(CountTableInfo info, const boost::json::object& extra = {});

  std::uint64_t distinct() const { return distinct_; }

 private:
  struct Partition {
    std::uint64_t offset = 0, stored = 0, entries = 0, pretokens = 0;
    Checksum checksum;
  };
  void finish_block();
  void store(std::string_view bytes);

  AtomicFile file_;
  TableStorage storage_;
  FrameCompressor compressor_;
  std::vector<Partition> partitions_;
  std::size_t current_ = 0;
  std::uint64_t distinct_ = 0;
  std::string block_;
};

}  // namespace tokmill
