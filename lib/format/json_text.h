// JSON documents of our own: written for people to read, and sealed against damage.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <string_view>

namespace tokmill {

/// Indented by two spaces; an array of plain values that fits stays on one line.
std::string to_text(const boost::json::value& value);

/// A JSON string literal. Bytes that are not valid UTF-8 become U+FFFD.
std::string quote(std::string_view text);

/// The text of an object with one more member, last: "seal", a checksum of all the text before that member.
/// `open_sealed` finds any change, even of white space.
std::string to_sealed_text(const boost::json::object& object);

/// The object in a sealed text, without its seal; an Error that names `path` if anything was changed.
boost::json::object open_sealed(std::string_view text, const std::string& path);

/// Parses a JSON object; an Error that names `path` otherwise.
boost::json::object parse_object(std::string_view text, const std::string& path);

}  // namespace tokmill
