// Pieces are read, not mapped, so that a file that becomes shorter meanwhile cannot kill the supervising
// process. They begin anywhere, even inside a character: the first pretoken of a piece may be a false one,
// which does no harm.
#include "pipeline/sample.h"

#include <algorithm>

#include "bpe/pretoken_counter.h"
#include "text/pretokenizer.h"

namespace tokmill {

namespace {

constexpr std::uint64_t kPieces = 16;
constexpr std::uint64_t kPiece = 256 * 1024;  // bytes
constexpr std::uint64_t kFrequent = 3;        // occurrences in the sample

// Bytes from a place in the corpus, counted through all its files; to the end of the file at most.
std::string read_piece(const Corpus& corpus, std::uint64_t place) {
  for (const auto& [path, identity] : corpus.inputs) {
    if (place >= identity.size) {
      place -= identity.size;
      continue;
    }
    return File(path).read_at(place, std::min(kPiece, identity.size - place));
  }
  return {};
}

}  // namespace

std::vector<std::string> frequent_pretokens(const Corpus& corpus, const Scanner& scanner,
                                            const SpecialTokens& specials, std::size_t most) {
  PretokenCounter counter;
  Pretokenizer pretokenizer(scanner, specials);
  for (std::uint64_t i = 0; i < kPieces; ++i) {
    std::string piece = read_piece(corpus, corpus.bytes() / kPieces * i);
    const std::size_t size = piece.size();
    piece.resize(size + Scanner::kSlack);
    pretokenizer.start(std::string_view(piece).substr(0, size));
    for (const PretokenBlock* block = &pretokenizer.next(); block->size > 0; block = &pretokenizer.next()) {
      counter.add(*block);
    }
  }
  struct Entry {
    std::uint64_t count;
    std::string_view pretoken;
  };
  std::vector<Entry> entries;
  counter.for_each([&](std::string_view pretoken, std::uint64_t count) {
    if (count >= kFrequent) entries.push_back({count, pretoken});
  });
  std::ranges::sort(entries, [](const Entry& a, const Entry& b) {
    return a.count != b.count ? a.count > b.count : a.pretoken < b.pretoken;
  });
  entries.resize(std::min(entries.size(), most));
  std::vector<std::string> pretokens;
  for (const Entry& entry : entries) pretokens.emplace_back(entry.pretoken);
  return pretokens;
}

}  // namespace tokmill
