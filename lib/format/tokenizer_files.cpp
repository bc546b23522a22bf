#include "format/tokenizer_files.h"

#include <filesystem>

#include "format/gpt2_files.h"
#include "format/hf_json.h"
#include "io/error.h"

namespace tokmill {

namespace fs = std::filesystem;

TokenizerModel read_tokenizer(const std::string& path, const std::vector<std::string>& specials) {
  const fs::path place(path);
  const auto read_json = [&](const fs::path& file) {
    TokenizerModel model = read_hf_json(file.string());
    for (const std::string& special : specials) add_special(model, special);
    return model;
  };
  if (fs::is_directory(place)) {
    if (fs::exists(place / "tokenizer.json")) return read_json(place / "tokenizer.json");
    if (fs::exists(place / "vocab.json") && fs::exists(place / "merges.txt")) {
      return read_gpt2_files((place / "vocab.json").string(), (place / "merges.txt").string(), specials);
    }
    throw Error::at(path, "holds neither tokenizer.json nor vocab.json with merges.txt");
  }
  if (!fs::exists(place)) throw Error::at(path, "there is no such tokenizer");
  if (place.filename() == "vocab.json") {
    return read_gpt2_files(path, (place.parent_path() / "merges.txt").string(), specials);
  }
  return read_json(place);
}

}  // namespace tokmill
