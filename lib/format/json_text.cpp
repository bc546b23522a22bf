#include "format/json_text.h"

#include <simdjson.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "io/checksum.h"
#include "io/error.h"
#include "text/utf8.h"

namespace tokmill {

namespace json = boost::json;

namespace {

constexpr std::size_t kLine = 100;
constexpr std::string_view kSeal = ",\n  \"seal\": \"";

bool is_container(const json::value& value) {
  return value.is_object() || value.is_array();
}

void print(std::string& out, const json::value& value, std::size_t indent);

template <class Items, class PrintItem>
void print_items(std::string& out, const Items& items, char open, char close, std::size_t indent,
                 PrintItem print_item) {
  out.push_back(open);
  bool first = true;
  for (const auto& item : items) {
    out += first ? "\n" : ",\n";
    first = false;
    out.append(indent + 2, ' ');
    print_item(item);
  }
  if (!first) out.append("\n").append(indent, ' ');
  out.push_back(close);
}

void print(std::string& out, const json::value& value, std::size_t indent) {
  if (const json::object* object = value.if_object()) {
    print_items(out, *object, '{', '}', indent, [&](const json::key_value_pair& member) {
      out += json::serialize(member.key()) + ": ";
      print(out, member.value(), indent + 2);
    });
  } else if (const json::array* array = value.if_array()) {
    bool plain = true;
    for (const json::value& item : *array) plain = plain && !is_container(item);
    const std::string line = plain ? json::serialize(value) : std::string();
    if (plain && line.size() <= kLine) {
      out += line;
    } else {
      print_items(out, *array, '[', ']', indent,
                  [&](const json::value& item) { print(out, item, indent + 2); });
    }
  } else {
    out += json::serialize(value);
  }
}

std::string seal_of(std::string_view body) {
  return std::string(kSeal) + spell_checksum(Checksum::of(body)) + "\"\n}\n";
}

}  // namespace

std::string to_text(const json::value& value) {
  std::string out;
  print(out, value, 0);
  out.push_back('\n');
  return out;
}

std::string quote(std::string_view text) {
  const bool plain = std::none_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\';
  });
  if (plain && simdjson::validate_utf8(text.data(), text.size())) {
    return std::string(1, '"').append(text).append(1, '"');
  }
  std::string valid;
  Utf8Replacer replacer;
  replacer.append(text, valid);
  replacer.finish(valid);
  return json::serialize(json::string(valid));
}

std::string to_sealed_text(const json::object& object) {
  std::string body = to_text(object);
  body.resize(body.size() - 3);  // "\n}\n"
  return body + seal_of(body);
}

json::object open_sealed(std::string_view text, const std::string& path) {
  const std::size_t seal = text.rfind(kSeal);
  if (seal == std::string_view::npos || text.substr(seal) != seal_of(text.substr(0, seal))) {
    throw Error::at(path, "damaged: its text does not agree with the checksum at its end");
  }
  json::object object = parse_object(text, path);
  object.erase("seal");
  return object;
}

json::object parse_object(std::string_view text, const std::string& path) {
  boost::system::error_code failure;
  json::value value = json::parse({text.data(), text.size()}, failure);
  if (failure) throw Error::at(path, "is not valid JSON: " + failure.message());
  if (!value.is_object()) throw Error::at(path, "is not a JSON object");
  return std::move(value.get_object());
}

}  // namespace tokmill
