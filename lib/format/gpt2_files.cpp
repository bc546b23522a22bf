#include "format/gpt2_files.h"

#include <simdjson.h>

#include "format/byte_spelling.h"
#include "format/json_text.h"
#include "format/vocabulary_reader.h"
#include "io/error.h"
#include "io/file.h"

namespace tokmill {

std::string vocab_json(const TokenizerModel& model) {
  const std::vector<bool> is_special = model.special_ids();
  std::string out;
  out.reserve(2 * model.token_bytes() + 16 * model.tokens.size() + 16);  // a byte is spelled as two at most
  out += '{';
  for (std::size_t id = 0; id < model.tokens.size(); ++id) {
    const std::string& token = model.tokens[id];
    if (token.empty()) continue;
    out += out.size() > 1 ? ",\n" : "\n";
    if (is_special[id]) {
      out += quote(token);
    } else {
      out.push_back('"');
      append_spelled_json(out, token);
      out.push_back('"');
    }
    out.append(": ").append(std::to_string(id));
  }
  out += "\n}\n";
  return out;
}

std::string merges_txt(const TokenizerModel& model) {
  std::string out;
  out.reserve(2 * model.token_bytes() + 2 * model.merges.size() + 16);
  out += "#version: 0.2\n";
  for (const auto& merge : model.merges) {
    append_spelled(out, model.tokens[merge.left]);
    out.push_back(' ');
    append_spelled(out, model.tokens[merge.right]);
    out.push_back('\n');
  }
  return out;
}

TokenizerModel read_gpt2_files(const std::string& vocab_path, const std::string& merges_path,
                               const std::vector<std::string>& specials) {
  VocabularyReader reader(vocab_path);
  simdjson::dom::parser parser;
  try {
    const simdjson::dom::object vocabulary = parser.parse(read_file(vocab_path));
    reader.expect(vocabulary.size());
    for (const auto& [spelling, id] : vocabulary) {
      reader.add_token(spelling, id.get_uint64());
    }
  } catch (const simdjson::simdjson_error& error) {
    throw Error::at(vocab_path, std::string("is not a vocabulary (an object, token: id): ") + error.what());
  }
  const std::string text = read_file(merges_path);
  std::size_t line_number = 0;
  for (std::size_t begin = 0, end; begin < text.size(); begin = end + 1) {
    end = std::min(text.find('\n', begin), text.size());
    std::string_view line(text.data() + begin, end - begin);
    ++line_number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || (line_number == 1 && line.starts_with("#version"))) continue;
    const std::size_t space = line.find(' ');
    const VocabularyReader::Place place{merges_path, "line", line_number};
    if (space == std::string_view::npos) throw place.error("not two tokens and a space");
    reader.add_merge(line.substr(0, space), line.substr(space + 1), place);
  }
  for (const std::string& special : specials) reader.add_special(special);
  return std::move(reader).finish();
}

}  // namespace tokmill
