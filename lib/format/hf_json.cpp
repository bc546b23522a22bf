// What is written loads in Hugging Face tokenizers and gives the same ids there:
//   gpt2        pre_tokenizer ByteLevel with its own regex, which is GPT-2's
//   whitespace  Split on \s+, removed; then ByteLevel without a regex
//   none        ByteLevel without a regex
#include "format/hf_json.h"

#include <simdjson.h>

#include "format/byte_spelling.h"
#include "format/gpt2_files.h"
#include "format/json_text.h"
#include "format/vocabulary_reader.h"
#include "io/error.h"
#include "io/file.h"

namespace tokmill {

namespace dom = simdjson::dom;

namespace {

std::string byte_level(bool use_regex) {
  return std::string(
             R"({"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": )") +
         (use_regex ? "true}" : "false}");
}

std::string pre_tokenizer(Pattern pattern) {
  switch (pattern) {
    case Pattern::kGpt2:
      return byte_level(true);
    case Pattern::kNone:
      return byte_level(false);
    case Pattern::kWhitespace:
      break;
  }
  return R"({"type": "Sequence", "pretokenizers": [{"type": "Split", "pattern": {"Regex": "\\s+"}, )"
         R"("behavior": "Removed", "invert": false}, )" +
         byte_level(false) + "]}";
}

// Reads one document; all that is asked of it and not there is an Error naming the path.
class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path), vocabulary_(path) {}

  TokenizerModel read() {
    try {
      const dom::element root = parser_.parse(read_file(path_));
      check_null(root, "normalizer");
      read_model(root["model"]);
      read_added_tokens(root);
      TokenizerModel model = std::move(vocabulary_).finish();
      model.ignore_merges = flag(root["model"], "ignore_merges", false);
      model.pattern = read_pattern(root["pre_tokenizer"]);
      return model;
    } catch (const simdjson::simdjson_error& error) {
      throw Error::at(path_,
                      std::string("is not a tokenizer.json of the kind tokmill reads: ") + error.what());
    }
  }

 private:
  Error unsupported(const std::string& what) const {
    return Error::at(path_, what + " is not supported: its ids would differ");
  }

  static bool flag(dom::element object, const char* name, bool fallback) {
    bool value;
    return object[name].get(value) == simdjson::SUCCESS ? value : fallback;
  }

  void check_null(dom::element object, const char* name) const {
    dom::element value;
    if (object[name].get(value) != simdjson::SUCCESS || value.is_null()) return;
    std::string_view text;
    if (value.get(text) == simdjson::SUCCESS && text.empty()) return;
    throw unsupported(std::string("\"") + name + "\"");
  }

  void read_model(dom::element model) {
    std::string_view type;
    if (model["type"].get(type) == simdjson::SUCCESS && type != "BPE") {
      throw unsupported("model type '" + std::string(type) + "'");
    }
    for (const char* name : {"dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix"}) {
      check_null(model, name);
    }
    if (flag(model, "byte_fallback", false)) throw unsupported("byte_fallback");
    const dom::object vocabulary = model["vocab"];
    vocabulary_.expect(vocabulary.size());
    for (const auto& [spelling, id] : vocabulary) {
      vocabulary_.add_token(spelling, id.get_uint64());
    }
    std::size_t rank = 0;
    for (const dom::element merge : dom::array(model["merges"])) {
      const VocabularyReader::Place place{path_, "merge", rank++};
      std::string_view pair;
      if (merge.get(pair) == simdjson::SUCCESS) {  // "left right", or since 2024 ["left", "right"]
        const std::size_t space = pair.find(' ');
        if (space == std::string_view::npos) throw place.error("not two tokens and a space");
        vocabulary_.add_merge(pair.substr(0, space), pair.substr(space + 1), place);
      } else {
        const dom::array sides = merge.get_array();
        if (sides.size() != 2) throw place.error("not two tokens");
        vocabulary_.add_merge(sides.at(0).get_string(), sides.at(1).get_string(), place);
      }
    }
  }

  // True where the element is a ByteLevel, and then whether it uses its regex.
  bool is_byte_level(dom::element element, bool& use_regex) const {
    if (std::string_view(element["type"]) != "ByteLevel") return false;
    if (flag(element, "add_prefix_space", true)) throw unsupported("add_prefix_space");
    use_regex = flag(element, "use_regex", true);
    return true;
  }

  Pattern read_pattern(dom::element element) const {
    bool use_regex;
    if (is_byte_level(element, use_regex)) return use_regex ? Pattern::kGpt2 : Pattern::kNone;
    if (std::string_view(element["type"]) == "Sequence") {
      const dom::array parts = element["pretokenizers"];
      if (parts.size() == 2 && std::string_view(parts.at(0)["type"]) == "Split" &&
          std::string_view(parts.at(0)["pattern"]["Regex"]) == "\\s+" &&
          std::string_view(parts.at(0)["behavior"]) == "Removed" && !flag(parts.at(0), "invert", false) &&
          is_byte_level(parts.at(1), use_regex) && !use_regex) {
        return Pattern::kWhitespace;
      }
    }
    throw unsupported("this pre_tokenizer (tokmill reads ByteLevel as GPT-2 has it)");
  }

  void read_added_tokens(dom::element root) {
    dom::array added;
    if (root["added_tokens"].get(added) != simdjson::SUCCESS) return;
    for (const dom::element token : added) {
      const std::string text{std::string_view(token["content"])};
      for (const char* name : {"single_word", "lstrip", "rstrip"}) {
        if (flag(token, name, false)) throw unsupported("added token '" + text + "' with " + name);
      }
      vocabulary_.add_special(text, token["id"].get_uint64());
    }
  }

  std::string path_;
  VocabularyReader vocabulary_;
  dom::parser parser_;
};

}  // namespace

std::string hf_json(const TokenizerModel& model) {
  const std::string vocabulary = vocab_json(model);
  std::string out;
  out.reserve(2 * vocabulary.size() + 4096);  // merges take less
  out +=
      "{\n\"version\": \"1.0\",\n\"truncation\": null,\n\"padding\": null,\n\"added_tokens\": [";
  for (const auto& special : model.specials) {
    out += &special == &model.specials.front() ? "\n" : ",\n";
    out +=
        "{\"id\": " + std::to_string(special.id) + ", \"content\": " + quote(special.text) +
        R"(, "single_word": false, "lstrip": false, "rstrip": false, "normalized": false, "special": true})";
  }
  out += "\n],\n\"normalizer\": null,\n\"pre_tokenizer\": " + pre_tokenizer(model.pattern) +
         ",\n\"post_processor\": null,\n\"decoder\": " + byte_level(true) +
         ",\n\"model\": {\n\"type\": \"BPE\",\n\"dropout\": null,\n\"unk_token\": null,\n"
         "\"continuing_subword_prefix\": null,\n\"end_of_word_suffix\": null,\n\"fuse_unk\": false,\n"
         "\"byte_fallback\": false,\n\"ignore_merges\": ";
  out += model.ignore_merges ? "true" : "false";
  out.append(",\n\"vocab\": ").append(vocabulary).append(",\"merges\": [");
  for (const auto& merge : model.merges) {
    out += &merge == &model.merges.front() ? "\n\"" : ",\n\"";
    append_spelled_json(out, model.tokens[merge.left]);
    out.push_back(' ');
    append_spelled_json(out, model.tokens[merge.right]);
    out.push_back('"');
  }
  out += "\n]\n}\n}\n";
  return out;
}

TokenizerModel read_hf_json(const std::string& path) {
  return Reader(path).read();
}

}  // namespace tokmill
