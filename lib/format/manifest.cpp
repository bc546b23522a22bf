#include "format/manifest.h"

#include <boost/json/array.hpp>
#include <boost/json/value_to.hpp>
#include <cstdio>
#include <numeric>

#include "format/json_text.h"
#include "io/error.h"

namespace tokmill {

namespace json = boost::json;

namespace {

constexpr char kFormat[] = "tokmill-shards-1";

template <class Member>
std::uint64_t sum(const std::vector<Manifest::Shard>& shards, Member ShardRecord::*member) {
  return std::accumulate(
      shards.begin(), shards.end(), std::uint64_t{0},
      [&](std::uint64_t total, const auto& shard) { return total + shard.record.*member; });
}

}  // namespace

std::uint64_t Manifest::tokens() const {
  return sum(shards, &ShardRecord::tokens);
}
std::uint64_t Manifest::documents() const {
  return sum(shards, &ShardRecord::documents);
}

std::uint64_t Manifest::text_bytes() const {
  std::uint64_t total = 0;
  for (const Shard& shard : shards) {
    for (const Source& source : shard.sources) total += source.end - source.begin;
  }
  return total;
}

std::string Manifest::to_text() const {
  json::array list;
  for (const Shard& shard : shards) {
    json::array sources;
    for (const Source& source : shard.sources)
      sources.push_back({source.input, source.begin, source.end, source.within_document ? 1 : 0});
    json::object entry{{"name", shard.name}};
    for (const auto& member : shard.record.to_json()) entry.insert(member);
    entry["sources"] = std::move(sources);
    list.push_back(std::move(entry));
  }
  return to_sealed_text(
      {{"format", kFormat},
       {"dtype", format.dtype()},
       {"compressed", format.compressed},
       {"level", format.level},
       {"frame_size", format.frame_size},
       {"vocabulary", vocabulary},
       {"tokenizer", kTokenizerName},
       {"tokenizer_checksum", tokenizer_checksum},
       {"separator", {{"rule", separator_rule_name(rule)}, {"token", separator}, {"id", separator_id}}},
       {"tokens", tokens()},
       {"documents", documents()},
       {"text_bytes", text_bytes()},
       {"run", run},
       {"shards", std::move(list)}});
}

Manifest Manifest::parse(std::string_view text, const std::string& path) {
  const json::object object = open_sealed(text, path);
  try {
    if (object.at("format") != kFormat) throw Error("its format is not " + std::string(kFormat));
    Manifest manifest;
    manifest.format.id_bytes = ShardFormat::id_bytes_of(json::value_to<std::string>(object.at("dtype")));
    manifest.format.compressed = object.at("compressed").as_bool();
    manifest.format.level = json::value_to<int>(object.at("level"));
    manifest.format.frame_size = json::value_to<std::uint32_t>(object.at("frame_size"));
    manifest.vocabulary = json::value_to<std::uint64_t>(object.at("vocabulary"));
    manifest.tokenizer_checksum = json::value_to<std::string>(object.at("tokenizer_checksum"));
    const json::object& separator = object.at("separator").as_object();
    manifest.rule = separator_rule_from_name(json::value_to<std::string>(separator.at("rule")));
    manifest.separator = json::value_to<std::string>(separator.at("token"));
    manifest.separator_id = json::value_to<std::int64_t>(separator.at("id"));
    manifest.run = object.at("run").as_object();
    for (const json::value& value : object.at("shards").as_array()) {
      const json::object& entry = value.as_object();
      Shard shard{json::value_to<std::string>(entry.at("name")), {}, ShardRecord::from_json(entry)};
      for (const json::value& source : entry.at("sources").as_array()) {
        const auto numbers = json::value_to<std::vector<std::uint64_t>>(source);
        if (numbers.size() != 4) throw Error("a source is not four numbers");
        shard.sources.push_back({numbers[0], numbers[1], numbers[2], numbers[3] != 0});
      }
      manifest.shards.push_back(std::move(shard));
    }
    return manifest;
  } catch (const std::exception& error) {
    throw Error::at(path, std::string("is not a manifest that this version reads: ") + error.what());
  }
}

Manifest Manifest::read(const std::string& directory) {
  const std::string path = directory + "/" + kFileName;
  return parse(read_file(path), path);
}

std::string shard_name(std::size_t index) {
  char name[32];
  std::snprintf(name, sizeof name, "shard-%05zu", index);
  return name;
}

}  // namespace tokmill
