#include "pipeline/decode.h"

#include "bpe/decoder.h"
#include "format/shard.h"
#include "io/error.h"
#include "pipeline/shard_directory.h"
#include "text/utf8.h"

namespace tokmill {

namespace {

// Decoded bytes on their way to the sink, which may cut characters between two pieces.
class TextWriter {
 public:
  TextWriter(DecodeErrors errors, const TextSink& sink) : errors_(errors), sink_(sink) {}

  void append(std::string_view bytes) {
    switch (errors_) {
      case DecodeErrors::kBytes:
        return sink_(bytes);
      case DecodeErrors::kReplace:
        text_.clear();
        replacer_.append(bytes, text_);
        return sink_(text_);
      case DecodeErrors::kStrict:
        break;
    }
    pending_ += bytes;
    check(false);
  }

  void finish() {
    if (errors_ == DecodeErrors::kStrict) check(true);
    if (errors_ != DecodeErrors::kReplace) return;
    text_.clear();
    replacer_.finish(text_);
    sink_(text_);
  }

 private:
  static constexpr std::size_t kLongestCharacter = 4;

  void check(bool last) {
    std::size_t valid = find_invalid_utf8(pending_);
    if (valid == std::string::npos) valid = pending_.size();
    if (valid < pending_.size() && (last || pending_.size() - valid >= kLongestCharacter)) {
      throw Error("byte " + std::to_string(written_ + valid) +
                  " of the text is not valid UTF-8; use --errors replace or bytes");
    }
    sink_(std::string_view(pending_).substr(0, valid));
    written_ += valid;
    pending_.erase(0, valid);
  }

  DecodeErrors errors_;
  const TextSink& sink_;
  Utf8Replacer replacer_;
  std::string text_;
  std::string pending_;
  std::uint64_t written_ = 0;
};

void decode_shard(const std::string& stem, const ShardFormat& format, const Decoder& decoder,
                  TextWriter& writer) {
  ShardReader reader(stem, format);
  std::string bytes;
  std::uint64_t before = 0;  // ids
  for (std::string_view ids = reader.next(); !ids.empty(); ids = reader.next()) {
    if (ids.size() % format.id_bytes != 0) {
      throw Error::at(reader.path(),
                      "its length is not a multiple of " + std::to_string(format.id_bytes) + " bytes");
    }
    bytes.clear();
    std::size_t bad;
    if (!decoder.decode(ids, format.id_bytes, bytes, bad)) {
      throw Error::at(reader.path(),
                      "id number " + std::to_string(before + bad) + " is not in the vocabulary");
    }
    before += ids.size() / format.id_bytes;
    writer.append(bytes);
  }
}

}  // namespace

DecodeErrors decode_errors_from_name(std::string_view name) {
  if (name == "replace") return DecodeErrors::kReplace;
  if (name == "strict") return DecodeErrors::kStrict;
  if (name == "bytes") return DecodeErrors::kBytes;
  throw UsageError("'" + std::string(name) + "' is no way to treat errors; use replace, strict or bytes");
}

void decode_shards(const std::string& path, const TokenizerModel* model, DecodeErrors errors,
                   const TextSink& sink) {
  const ShardDirectory directory = ShardDirectory::open(path);
  const Decoder decoder(model != nullptr ? *model : directory.model);
  TextWriter writer(errors, sink);
  for (const Manifest::Shard& shard : directory.manifest.shards) {
    decode_shard(directory.stem(shard), directory.manifest.format, decoder, writer);
  }
  writer.finish();
}

void decode_file(const std::string& path, std::uint32_t id_bytes, const TokenizerModel& model,
                 DecodeErrors errors, const TextSink& sink) {
  ShardFormat format;
  format.id_bytes = id_bytes;
  format.compressed = path.ends_with(".zst");
  const std::string extension = format.extension();
  const Decoder decoder(model);
  TextWriter writer(errors, sink);
  if (path.ends_with(extension)) {
    decode_shard(path.substr(0, path.size() - extension.size()), format, decoder, writer);
  } else {
    throw Error::at(path, "is neither a directory of shards nor a file of ids (NAME.bin or NAME.bin.zst)");
  }
  writer.finish();
}

}  // namespace tokmill
