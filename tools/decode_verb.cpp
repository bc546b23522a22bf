#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>

#include "command_line.h"
#include "format/shard.h"
#include "format/tokenizer_files.h"
#include "io/atomic_file.h"
#include "io/error.h"
#include "pipeline/decode.h"
#include "verbs.h"

namespace tokmill::tools {

void decode_verb(const Arguments& arguments) {
  CommandLine line("decode SHARDS_DIR|IDS.bin [--tokenizer TOKENIZER] [-o FILE]",
                   "Writes the text of token shards, or of a plain file of little-endian ids.",
                   "tokmill decode shards --errors bytes -o text.txt");
  line.value("tokenizer", "TOKENIZER",
             "the tokenizer (default: the one kept with the shards; required for a file of ids)")
      .values("special", "TOKEN",
              "a special token that the tokenizer does not name itself; may be given several times")
      .value("errors", "HOW",
             "bytes that are not UTF-8: replace by U+FFFD, strict (fail), bytes (keep) (default replace)")
      .value("dtype", "TYPE", "of a file of ids: uint16 or uint32 (default uint16)")
      .value("output,o", "FILE", "file for the text (default: standard output)");
  if (!line.parse(arguments)) return;
  const std::string path = line.operand("SHARDS_DIR");
  const DecodeErrors errors = decode_errors_from_name(line.text("errors", "replace"));
  const std::uint32_t id_bytes = ShardFormat::id_bytes_of(line.text("dtype", "uint16"));
  std::optional<TokenizerModel> model;
  if (line.has("tokenizer")) model = read_tokenizer(line.required("tokenizer"), line.texts("special"));

  std::unique_ptr<AtomicFile> file;
  if (line.has("output")) file = std::make_unique<AtomicFile>(line.required("output"));
  const TextSink sink = [&](std::string_view text) {
    if (file) return file->append(text);
    if (!std::cout.write(text.data(), static_cast<std::streamsize>(text.size()))) {
      throw Error("standard output cannot be written");
    }
  };
  if (std::filesystem::is_directory(path)) {
    decode_shards(path, model ? &*model : nullptr, errors, sink);
  } else {
    if (!model) throw UsageError("--tokenizer is missing: a file of ids does not name its own");
    decode_file(path, id_bytes, *model, errors, sink);
  }
  if (file) file->commit();
}

}  // namespace tokmill::tools
