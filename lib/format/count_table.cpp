#include "format/count_table.h"

#include <boost/json/value_from.hpp>
#include <boost/json/value_to.hpp>

#include "format/count_table_format.h"

namespace tokmill {

namespace json = boost::json;

void CountTableInfo::add(const CountTableInfo& other) {
  bytes += other.bytes;
  documents += other.documents;
  pretokens += other.pretokens;
}

json::object CountTableInfo::to_json() const {
  return {{"pattern", pattern},     {"specials", json::value_from(specials)},
          {"unicode", unicode},     {"bytes", bytes},
          {"documents", documents}, {"pretokens", pretokens},
          {"distinct", distinct}};
}

CountTableInfo CountTableInfo::from_json(const json::object& object) {
  const auto number = [&](const char* name) { return json::value_to<std::uint64_t>(object.at(name)); };
  CountTableInfo info;
  info.pattern = json::value_to<std::string>(object.at("pattern"));
  info.specials = json::value_to<std::vector<std::string>>(object.at("specials"));
  info.unicode = json::value_to<std::string>(object.at("unicode"));
  info.bytes = number("bytes");
  info.documents = number("documents");
  info.pretokens = number("pretokens");
  info.distinct = number("distinct");
  return info;
}

std::size_t CountTableOrder::partition() const {
  return hash >> count_table_format::kPartitionShift;
}

}  // namespace tokmill
