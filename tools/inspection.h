// What lies at a path, as facts, and ways to show them.
#pragma once

#include <boost/json/object.hpp>
#include <string>

namespace tokmill::tools {

/// Opens a count table, a tokenizer (directory or file) or a directory of shards. Throws Error for anything
/// else.
boost::json::object inspect(const std::string& path);

/// "name  value" lines; lists are indented below their names.
std::string to_lines(const boost::json::object& facts);
/// A page that needs nothing else.
std::string to_html(const boost::json::object& facts);

}  // namespace tokmill::tools
