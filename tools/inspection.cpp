#include "inspection.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value_from.hpp>
#include <filesystem>
#include <numeric>
#include <vector>

#include "format/byte_spelling.h"
#include "format/count_table_format.h"
#include "format/count_table_reader.h"
#include "format/json_text.h"
#include "format/manifest.h"
#include "format/tokenizer_files.h"
#include "io/error.h"
#include "pipeline/train.h"

namespace tokmill::tools {

namespace fs = std::filesystem;
namespace json = boost::json;

namespace {

constexpr std::size_t kShown = 20;

json::object inspect_shards(const std::string& path) {
  const Manifest manifest = Manifest::read(path);
  json::object facts{{"kind", "token shards"},
                     {"path", path},
                     {"shards", manifest.shards.size()},
                     {"tokens", manifest.tokens()},
                     {"documents", manifest.documents()},
                     {"text_bytes", manifest.text_bytes()},
                     {"dtype", manifest.format.dtype()},
                     {"compressed", manifest.format.compressed},
                     {"vocabulary", manifest.vocabulary},
                     {"separator", manifest.separator},
                     {"separator_rule", separator_rule_name(manifest.rule)}};
  std::uint64_t bytes = 0;
  json::array list;
  for (const Manifest::Shard& shard : manifest.shards) {
    bytes += shard.record.bytes;
    list.push_back({{"name", shard.name},
                    {"tokens", shard.record.tokens},
                    {"documents", shard.record.documents},
                    {"bytes", shard.record.bytes}});
  }
  facts["bytes"] = bytes;
  facts["list"] = std::move(list);
  return facts;
}

json::object inspect_table(const std::string& path) {
  const CountTableReader table(path);
  json::object facts{{"kind", "count table"}, {"path", path}, {"bytes_on_disk", fs::file_size(path)}};
  for (const auto& member : table.info().to_json()) facts.insert(member);
  struct Entry {
    std::uint64_t count;
    std::string pretoken;
    bool operator>(const Entry& other) const {
      return count != other.count ? count > other.count : pretoken < other.pretoken;
    }
  };
  std::vector<Entry> most;  // a heap with the rarest in front
  for (std::size_t partition = 0; partition < count_table_format::kPartitions; ++partition) {
    CountTableReader::Entries entries(table, partition);
    while (entries.next()) {
      if (most.size() == kShown && entries.count() < most.front().count) continue;
      most.push_back({entries.count(), std::string(entries.pretoken())});
      std::ranges::push_heap(most, std::greater());
      if (most.size() <= kShown) continue;
      std::ranges::pop_heap(most, std::greater());
      most.pop_back();
    }
  }
  std::ranges::sort_heap(most, std::greater());
  json::array list;
  for (const Entry& entry : most) {
    list.push_back({{"pretoken", spell_bytes(entry.pretoken)}, {"count", entry.count}});
  }
  facts["most_frequent"] = std::move(list);
  return facts;
}

json::object inspect_tokenizer(const std::string& path) {
  const TokenizerModel model = read_tokenizer(path, {});
  json::object facts{{"kind", "tokenizer"},
                     {"path", path},
                     {"vocabulary", model.tokens.size()},
                     {"merges", model.merges.size()},
                     {"pattern", pattern_name(model.pattern)}};
  json::object specials;
  for (const auto& special : model.specials) specials[special.text] = special.id;
  facts["specials"] = std::move(specials);
  std::vector<std::uint32_t> ids(model.tokens.size());
  std::iota(ids.begin(), ids.end(), 0u);
  std::ranges::stable_sort(ids, std::greater(), [&](std::uint32_t id) { return model.tokens[id].size(); });
  json::array longest;
  for (std::size_t i = 0; i < std::min(kShown, ids.size()); ++i) {
    longest.push_back({{"id", ids[i]}, {"token", spell_bytes(model.tokens[ids[i]])}});
  }
  facts["longest_tokens"] = std::move(longest);
  const std::string training = path + "/" + kTrainingReport;
  if (fs::exists(training)) {
    const json::object told = open_sealed(read_file(training), training);
    facts["options"] = told.at("run").at("options");
    facts["training"] = told.at("report");
  }
  return facts;
}

std::string plain(const json::value& value) {
  return value.is_string() ? std::string(value.get_string()) : json::serialize(value);
}

void add_lines(std::string& out, const json::value& value, std::size_t indent) {
  if (const json::object* object = value.if_object()) {
    std::size_t width = 0;
    for (const auto& member : *object) width = std::max(width, member.key().size());
    for (const auto& member : *object) {
      out.append(indent, ' ').append(member.key());
      if (member.value().is_structured()) {
        out += "\n";
        add_lines(out, member.value(), indent + 2);
      } else {
        out.append(width + 2 - member.key().size(), ' ').append(plain(member.value())).append("\n");
      }
    }
  } else if (const json::array* array = value.if_array()) {
    for (const json::value& item : *array) {
      out.append(indent, ' ');
      if (const json::object* row = item.if_object()) {
        bool first = true;
        for (const auto& member : *row) {
          out.append(first ? "" : "  ").append(member.key()).append(" ").append(plain(member.value()));
          first = false;
        }
      } else {
        out += plain(item);
      }
      out += "\n";
    }
  }
}

std::string escape(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      default:
        out.push_back(c);
    }
  }
  return out;
}

void add_html(std::string& out, const json::value& value) {
  if (const json::object* object = value.if_object()) {
    out += "<table>\n";
    for (const auto& member : *object) {
      out += "<tr><th>" + escape(member.key()) + "</th><td>";
      add_html(out, member.value());
      out += "</td></tr>\n";
    }
    out += "</table>\n";
  } else if (const json::array* array = value.if_array()) {
    out += "<ol>\n";
    for (const json::value& item : *array) {
      out += "<li>";
      add_html(out, item);
      out += "</li>\n";
    }
    out += "</ol>\n";
  } else {
    out += escape(plain(value));
  }
}

}  // namespace

json::object inspect(const std::string& path) {
  if (!fs::exists(path)) throw Error::at(path, "there is no such file or directory");
  if (fs::is_directory(path)) {
    return fs::exists(path + "/" + Manifest::kFileName) ? inspect_shards(path) : inspect_tokenizer(path);
  }
  const File file(path);
  const std::size_t length = std::min<std::uint64_t>(file.size(), count_table_format::kMagic.size());
  return file.read_at(0, length) == count_table_format::kMagic ? inspect_table(path)
                                                               : inspect_tokenizer(path);
}

std::string to_lines(const json::object& facts) {
  std::string out;
  add_lines(out, facts, 0);
  return out;
}

std::string to_html(const json::object& facts) {
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>tokmill inspect</title>\n"
      "<style>body{font-family:sans-serif}th{text-align:left;vertical-align:top;padding-right:1em}"
      "td{font-family:monospace}</style></head>\n<body>\n";
  add_html(out, facts);
  return out + "</body></html>\n";
}

}  // namespace tokmill::tools
