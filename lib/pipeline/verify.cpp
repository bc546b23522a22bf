// Shards are checked apart, by forked workers. A shard's text is compared as its ids are decoded: the corpus,
// cut at its special tokens, says what should come next, separators included.
#include "pipeline/verify.h"

#include <algorithm>
#include <boost/json/value_to.hpp>
#include <filesystem>
#include <memory>

#include "bpe/decoder.h"
#include "format/count_table_reader.h"
#include "format/json_text.h"
#include "io/coding.h"
#include "io/error.h"
#include "pipeline/range_reader.h"
#include "pipeline/shard_directory.h"
#include "pipeline/train.h"
#include "text/documents.h"
#include "text/pretokenizer.h"

namespace tokmill {

namespace fs = std::filesystem;
namespace json = boost::json;

namespace {

// The text of one shard, decoded piece by piece.
class DecodedShard {
 public:
  DecodedShard(const std::string& stem, const ShardFormat& format, const ShardRecord& record,
               const Decoder& decoder)
      : reader_(stem, format), id_bytes_(format.id_bytes), decoder_(decoder), parts_(record, format) {}

  /// Decodes more; false at the end of the shard.
  bool read_more() {
    const std::string_view ids = reader_.next();
    if (ids.empty()) return false;
    parts_.update(ids);
    text_.erase(0, at_);
    at_ = 0;
    std::size_t bad;
    if (ids.size() % id_bytes_ != 0 || !decoder_.decode(ids, id_bytes_, text_, bad)) {
      throw Error::at(reader_.path(),
                      "id number " + std::to_string(tokens_ + bad) + " is not in the vocabulary");
    }
    tokens_ += ids.size() / id_bytes_;
    return true;
  }
  /// How many bytes of `expected` the text goes on with; those are used up.
  std::size_t take(std::string_view expected) {
    std::size_t taken = 0;
    while (taken < expected.size() && (at_ < text_.size() || read_more())) {
      const std::string_view rest = expected.substr(taken, text_.size() - at_);
      std::size_t same = rest.size();
      if (text_.compare(at_, same, rest) != 0) {
        same = static_cast<std::size_t>(std::ranges::mismatch(rest, std::string_view(text_).substr(at_)).in1 -
                                        rest.begin());
      }
      at_ += same;
      taken += same;
      if (same < rest.size()) break;
    }
    return taken;
  }
  void skip_all() {
    do at_ = text_.size();
    while (read_more());
  }
  bool at_end() { return at_ == text_.size() && !read_more(); }

  std::uint64_t tokens() const { return tokens_; }
  /// Whether the ids are those of the record, at the end of the shard.
  bool agrees() { return parts_.agrees(); }
  const std::string& path() const { return reader_.path(); }

 private:
  ShardReader reader_;
  std::uint32_t id_bytes_;
  const Decoder& decoder_;
  PartChecker parts_;
  std::string text_;
  std::size_t at_ = 0;
  std::uint64_t tokens_ = 0;
};

class ShardVerifier {
 public:
  ShardVerifier(const ShardDirectory& directory, const Corpus* against)
      : directory_(directory),
        manifest_(directory.manifest),
        against_(against),
        decoder_(directory.model),
        specials_(directory.model.special_texts()),
        scanner_(make_scanner(directory.model.pattern)),
        pretokenizer_(*scanner_, specials_) {}

  void verify(const Manifest::Shard& shard) {
    const std::string stem = directory_.stem(shard);
    check_shard_files(stem, manifest_.format, shard.record);
    DecodedShard decoded(stem, manifest_.format, shard.record, decoder_);
    if (against_ != nullptr) {
      compare(shard, decoded);
    } else {
      decoded.skip_all();
    }
    if (decoded.tokens() != shard.record.tokens || !decoded.agrees()) {
      throw Error::at(decoded.path(), "damaged: its ids are not those that the manifest names");
    }
    verify_index(shard_index_path(stem), shard.record);
  }

 private:
  void verify_index(const std::string& path, const ShardRecord& record) const {
    const std::string index = read_file(path);
    bool sound = index.size() == record.documents * sizeof(std::uint64_t);
    std::uint64_t before = 0;
    for (std::size_t i = 0; sound && i < record.documents; ++i) {
      const auto end = get_fixed<std::uint64_t>(index.data() + i * sizeof(std::uint64_t));
      sound = before <= end && end <= record.tokens;
      before = end;
    }
    if (!sound) throw Error::at(path, "damaged: its document ends do not rise up to the number of ids");
  }

  void compare(const Manifest::Shard& shard, DecodedShard& decoded) {
    Range range;
    for (const auto& [input, begin, end, within_document] : shard.sources) {
      const auto& inputs = against_->inputs;
      if (input >= inputs.size() || end > inputs[input].identity.size) {
        throw Error::at(decoded.path(), "was made from another corpus: its files are not those given");
      }
      range.segments.push_back({input, begin, end, within_document, end == inputs[input].identity.size});
    }
    DocumentTracker documents(manifest_.rule);
    for_each_segment(*against_, range, [&](std::string_view text, const Segment& segment) {
      documents.start(segment.within_document, text.data());
      const auto expect = [&](const DocumentTracker::Step& step, std::string_view itself,
                              std::uint64_t offset) {
        const std::string& separator = manifest_.separator;
        std::size_t same = 0;  // bytes of `itself`
        if ((step.separator_before && decoded.take(separator) < separator.size()) ||
            (step.itself && (same = decoded.take(itself)) < itself.size()) ||
            (step.separator_after && decoded.take(separator) < separator.size())) {
          throw Error::at(against_->inputs[segment.input].path, segment.begin + offset + same,
                          "the text from here on is not what " + decoded.path() + " decodes to");
        }
      };
      pretokenizer_.start(text);
      for (const PretokenBlock* block = &pretokenizer_.next(); block->size > 0;
           block = &pretokenizer_.next()) {
        compare(*block, documents, text.data(), expect);
      }
      expect(documents.end_of_text(text.data() + text.size()), {}, text.size());
      if (segment.ends_file) expect(documents.end_of_file(), {}, text.size());
    });
    if (!decoded.at_end())
      throw Error::at(decoded.path(), "goes on after the end of the text that it was made from");
  }

  // A block's pretokens, joined to stretches where the pattern leaves nothing out between them.
  template <class Expect>
  void compare(const PretokenBlock& block, DocumentTracker& documents, const char* text, Expect expect) {
    std::size_t special = 0;
    for (std::size_t i = 0; i < block.size;) {
      const auto offset = static_cast<std::uint64_t>(block.base + block.begin[i] - text);
      if (special < block.special_count && block.specials[special].entry == i) {
        const bool separator = block[i] == manifest_.separator;
        expect(separator ? documents.separator(block.base + block.end[i]) : documents.text(), block[i],
               offset);
        ++special;
        ++i;
        continue;
      }
      const std::size_t stop = special < block.special_count ? block.specials[special].entry : block.size;
      std::size_t last = i;
      while (last + 1 < stop && block.begin[last + 1] == block.end[last]) ++last;
      expect(documents.text(), {block.base + block.begin[i], block.end[last] - block.begin[i]}, offset);
      i = last + 1;
    }
  }

  const ShardDirectory& directory_;
  const Manifest& manifest_;
  const Corpus* against_;
  Decoder decoder_;
  SpecialTokens specials_;
  std::unique_ptr<const Scanner> scanner_;
  Pretokenizer pretokenizer_;
};

}  // namespace

RunReport verify_shards(const std::string& path, const Corpus* against, const RunOptions& run) {
  const ShardDirectory directory = ShardDirectory::open(path);
  const Manifest& manifest = directory.manifest;
  if (against != nullptr && manifest.run.at("inputs").as_array().size() != against->inputs.size()) {
    throw Error::at(path, "was made from " + std::to_string(manifest.run.at("inputs").as_array().size()) +
                              " files, not from the " + std::to_string(against->inputs.size()) + " given");
  }
  if (against != nullptr && manifest.text_bytes() != against->bytes()) {
    throw Error::at(path, "was made from " + std::to_string(manifest.text_bytes()) +
                              " bytes of text, not from the " + std::to_string(against->bytes()) + " given");
  }
  RunReport report;
  report.verb = "verify";
  report.output = path;
  PoolOptions pool = run.pool("verify", manifest.shards.size(), manifest.text_bytes());
  pool.describe = [&](std::size_t shard) { return directory.stem(manifest.shards[shard]); };
  report.add_stage("verify", run_pool(pool, [&](Worker& worker) {
                     ShardVerifier verifier(directory, against);
                     while (const auto index = worker.next()) {
                       const Manifest::Shard& shard = manifest.shards[*index];
                       verifier.verify(shard);
                       for (const auto& source : shard.sources)
                         worker.add(Worker::kBytes, source.end - source.begin);
                       worker.done(*index);
                     }
                   }));
  report.bytes = manifest.text_bytes();
  report.documents = manifest.documents();
  report.tokens = manifest.tokens();
  report.shards = manifest.shards.size();
  report.extra["against_corpus"] = against != nullptr;
  return report;
}

RunReport verify_tokenizer(const std::string& directory) {
  const std::string path = directory + "/" + kTrainingReport;
  const json::object training = open_sealed(read_file(path), path);
  for (const json::key_value_pair& file : training.at("files").as_object()) {
    const std::string name = directory + "/" + std::string(file.key());
    if (spell_checksum(checksum_of_file(name)) != json::value_to<std::string>(file.value())) {
      throw Error::at(name, "damaged: it does not agree with the checksum in training.json");
    }
  }
  RunReport report;
  report.verb = "verify";
  report.output = directory;
  return report;
}

RunReport verify_table(const std::string& path) {
  const CountTableReader table(path);
  table.verify();
  RunReport report;
  report.verb = "verify";
  report.output = path;
  report.bytes = table.info().bytes;
  report.documents = table.info().documents;
  report.pretokens = table.info().pretokens;
  report.distinct = table.info().distinct;
  return report;
}

RunReport run_verify(const std::string& path, const Corpus* against, const RunOptions& run) {
  if (!fs::is_directory(path)) {
    if (against != nullptr) throw UsageError("--against goes with a directory of shards");
    return verify_table(path);
  }
  if (fs::exists(path + "/" + kTrainingReport) && against == nullptr) return verify_tokenizer(path);
  const InterruptGuard guard;
  return verify_shards(path, against, run);
}

}  // namespace tokmill
