// A count table: how often each pretoken occurs in a corpus. See count_table_format.h for the file.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/checksum.h"

namespace tokmill {

/// What a table says of itself.
struct CountTableInfo {
  std::string pattern;                // its name
  std::vector<std::string> specials;  // sorted
  std::string unicode;                // version of the tables behind the pattern
  std::uint64_t bytes = 0;            // of text counted, special tokens included
  std::uint64_t documents = 0;
  std::uint64_t pretokens = 0;  // the sum of all counts
  std::uint64_t distinct = 0;   // pretokens: entries

  /// Whether the counts of two tables may be added: the text was cut in the same way.
  bool same_cut(const CountTableInfo& other) const {
    return pattern == other.pattern && specials == other.specials && unicode == other.unicode;
  }
  /// Adds the other table's bytes, documents and pretokens.
  void add(const CountTableInfo& other);
  boost::json::object to_json() const;
  static CountTableInfo from_json(const boost::json::object& object);
};

/// How a table's blocks are stored.
enum class TableStorage {
  kCompressed,
  kPlain,  // for what is soon read and removed: as large again, but sooner written and read
};

/// The canonical order of entries.
struct CountTableOrder {
  std::uint64_t hash;
  std::string_view pretoken;

  explicit CountTableOrder(std::string_view text) : hash(Checksum::of(text)), pretoken(text) {}
  /// Where the hash is known already.
  CountTableOrder(std::uint64_t known_hash, std::string_view text) : hash(known_hash), pretoken(text) {}
  bool operator==(const CountTableOrder&) const = default;
  auto operator<=>(const CountTableOrder&) const = default;
  std::size_t partition() const;
};

}  // namespace tokmill
