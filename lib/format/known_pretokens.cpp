#include "format/known_pretokens.h"

#include <filesystem>

#include "io/checksum.h"
#include "io/coding.h"
#include "io/error.h"
#include "io/file.h"

namespace tokmill {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kMagic = "tokmill pretokens 1\n";

// Special tokens do not matter: no pretoken becomes one.
std::uint64_t fingerprint(const TokenizerModel& model) {
  const std::vector<bool> is_special = model.special_ids();
  std::string text;
  text.reserve(model.token_bytes() + 5 * model.tokens.size() + 9 * model.merges.size());
  text += model.ignore_merges ? '1' : '0';
  for (std::size_t id = 0; id < model.tokens.size(); ++id) {
    if (is_special[id] || model.tokens[id].empty()) continue;
    put_varint(text, id);
    put_varint(text, model.tokens[id].size());
    text += model.tokens[id];
  }
  for (const auto& merge : model.merges) {
    put_varint(text, merge.left);
    put_varint(text, merge.right);
    put_varint(text, merge.result);
  }
  return Checksum::of(text);
}

// False where the bytes are not what the grammar says.
bool parse(const char* p, const char* end, const TokenizerModel& model, KnownPretokens& known) {
  std::uint64_t count, length, id;
  if (!get_varint(p, end, count)) return false;
  for (; count > 0; --count) {
    if (!get_varint(p, end, length) || length == 0) return false;
    for (; length > 0; --length) {
      if (!get_varint(p, end, id) || id >= model.tokens.size() || model.tokens[id].empty()) return false;
      known.ids.push_back(static_cast<std::uint32_t>(id));
    }
    known.ends.push_back(known.ids.size());
  }
  return p == end;
}

}  // namespace

std::string known_pretokens_text(const TokenizerModel& model, const KnownPretokens& known) {
  std::string text;
  text.reserve(3 * known.ids.size() + known.size());
  text += kMagic;
  put_fixed(text, fingerprint(model));
  put_varint(text, known.size());
  for (std::size_t i = 0; i < known.size(); ++i) {
    put_varint(text, known[i].size());
    for (const std::uint32_t id : known[i]) put_varint(text, id);
  }
  put_fixed(text, Checksum::of(text));
  return text;
}

KnownPretokens read_known_pretokens(const std::string& tokenizer_path, const TokenizerModel& model) {
  const fs::path place(tokenizer_path);
  const fs::path path = (fs::is_directory(place) ? place : place.parent_path()) / kKnownPretokensName;
  if (!fs::exists(path)) return {};
  constexpr std::size_t kNumber = sizeof(std::uint64_t);
  const std::string text = read_file(path.string());
  if (text.size() < kMagic.size() + 2 * kNumber || !text.starts_with(kMagic)) return {};
  const std::size_t body = text.size() - kNumber;
  if (Checksum::of(std::string_view(text).substr(0, body)) != get_fixed<std::uint64_t>(text.data() + body) ||
      get_fixed<std::uint64_t>(text.data() + kMagic.size()) != fingerprint(model)) {
    return {};
  }
  KnownPretokens known;
  const bool sound = parse(text.data() + kMagic.size() + kNumber, text.data() + body, model, known);
  return sound ? known : KnownPretokens{};
}

}  // namespace tokmill
