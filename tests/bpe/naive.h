// Byte pair encoding as the definition has it, without any index: what the trainer and the encoder are
// compared with.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "bpe/trainer.h"
#include "format/tokenizer_model.h"
#include "support.h"

namespace tokmill::test {

using Words = std::vector<std::pair<std::string, std::uint64_t>>;  // pretokens and their counts
using SpelledMerge = std::pair<std::string, std::string>;

/// In a few parts, of which some may be empty.
inline WordSource source_of(const Words& words) {
  constexpr std::size_t kParts = 5;
  return {kParts, [&words](std::size_t part, const WordSource::Take& take) {
            for (std::size_t i = part * words.size() / kParts; i < (part + 1) * words.size() / kParts; ++i) {
              take(words[i].first, words[i].second);
            }
          }};
}

/// The bytes in Hugging Face's order: those that are spelled as themselves, then the others.
inline std::string hf_bytes() {
  std::string printable, others;
  for (int byte = 0; byte < 256; ++byte) {
    const bool is_printable = (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
    (is_printable ? printable : others).push_back(static_cast<char>(byte));
  }
  return printable + others;
}

/// Counts every adjacent pair anew at each step, and merges the one with the greatest count: of several the
/// one with the greatest (left bytes, right bytes), or the smallest (left id, right id).
inline std::vector<SpelledMerge> naive_train(const Words& words, std::uint64_t merges,
                                             std::uint64_t min_frequency = 1,
                                             TieBreak tie_break = TieBreak::kBytes) {
  std::map<std::string, std::size_t> ids;  // as Hugging Face gives them: bytes that are there keep their id
  for (const char byte : hf_bytes()) ids.emplace(std::string(1, byte), ids.size());
  const auto wins = [&](const SpelledMerge& a, const SpelledMerge& b) {
    if (tie_break == TieBreak::kBytes) return a > b;
    return std::pair(ids.at(a.first), ids.at(a.second)) < std::pair(ids.at(b.first), ids.at(b.second));
  };
  std::vector<std::vector<std::string>> split;
  for (const auto& [word, count] : words) {
    split.emplace_back();
    for (const char byte : word) split.back().emplace_back(1, byte);
  }
  std::vector<SpelledMerge> result;
  while (result.size() < merges) {
    std::map<SpelledMerge, std::uint64_t> counts;
    for (std::size_t w = 0; w < words.size(); ++w) {
      for (std::size_t i = 0; i + 1 < split[w].size(); ++i) {
        counts[{split[w][i], split[w][i + 1]}] += words[w].second;
      }
    }
    std::uint64_t best_count = 0;
    SpelledMerge best;
    for (const auto& [pair, count] : counts) {
      if (count > best_count || (count > 0 && count == best_count && wins(pair, best))) {
        std::tie(best_count, best) = std::tie(count, pair);
      }
    }
    if (best_count < std::max<std::uint64_t>(1, min_frequency)) break;
    for (std::vector<std::string>& word : split) {
      for (std::size_t i = 0; i + 1 < word.size(); ++i) {
        if (word[i] != best.first || word[i + 1] != best.second) continue;
        word[i] += word[i + 1];
        word.erase(word.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      }
    }
    result.push_back(best);
    ids.emplace(best.first + best.second, ids.size());
  }
  return result;
}

/// The merges of a trained tokenizer as bytes.
inline std::vector<SpelledMerge> spell(const TrainerResult& result) {
  const std::vector<std::string> symbols = result.symbols();
  std::vector<SpelledMerge> out;
  for (const auto& merge : result.merges) out.emplace_back(symbols[merge.left], symbols[merge.right]);
  return out;
}

/// A model with the bytes as ids 0 to 255, the merges after them, then the special tokens.
inline TokenizerModel model_of(const TrainerResult& result, const std::vector<std::string>& specials = {}) {
  TokenizerModel model;
  model.tokens = result.symbols();
  for (std::size_t i = 0; i < result.merges.size(); ++i) {
    model.merges.push_back(
        {result.merges[i].left, result.merges[i].right, static_cast<std::uint32_t>(256 + i)});
  }
  for (const std::string& special : specials) add_special(model, special);
  return model;
}

/// Looks through all pairs at each step, and merges the one with the lowest rank, the leftmost on ties.
class NaiveEncoder {
 public:
  explicit NaiveEncoder(const TokenizerModel& model) {
    for (std::uint32_t rank = 0; rank < model.merges.size(); ++rank) {
      const auto& merge = model.merges[rank];
      ranks_[{merge.left, merge.right}] = {rank, merge.result};
    }
    for (std::uint32_t id = 0; id < model.tokens.size(); ++id) {
      if (model.tokens[id].size() == 1) bytes_[model.tokens[id]] = id;
    }
  }

  std::vector<std::uint32_t> encode(std::string_view pretoken) const {
    std::vector<std::uint32_t> ids;
    for (const char byte : pretoken) ids.push_back(bytes_.at(std::string(1, byte)));
    for (;;) {
      std::pair<std::uint32_t, std::uint32_t> best{UINT32_MAX, 0};
      std::size_t place = 0;
      for (std::size_t i = 0; i + 1 < ids.size(); ++i) {
        const auto found = ranks_.find({ids[i], ids[i + 1]});
        if (found != ranks_.end() && found->second.first < best.first) {
          best = found->second;
          place = i;
        }
      }
      if (best.first == UINT32_MAX) return ids;
      ids[place] = best.second;
      ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(place) + 1);
    }
  }

 private:
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<std::uint32_t, std::uint32_t>> ranks_;
  std::map<std::string, std::uint32_t> bytes_;
};

/// A model such as no trainer makes: bytes have any ids, merges any order, so that a merge may make way for
/// one of a lower rank; and a token may come about in several ways.
inline TokenizerModel random_model(Random& random, const std::string& alphabet, std::size_t merges) {
  TokenizerModel model;
  for (int byte = 0; byte < 256; ++byte) model.tokens.emplace_back(1, static_cast<char>(byte));
  for (std::size_t i = 256; i-- > 1;) std::swap(model.tokens[i], model.tokens[random.below(i + 1)]);
  std::vector<std::uint32_t> parts;
  std::map<std::string, std::uint32_t> ids;
  for (std::uint32_t id = 0; id < 256; ++id) {
    ids[model.tokens[id]] = id;
    if (alphabet.find(model.tokens[id]) != std::string::npos) parts.push_back(id);
  }
  std::map<std::pair<std::uint32_t, std::uint32_t>, bool> seen;
  for (std::size_t i = 0; i < merges; ++i) {
    const std::uint32_t left = random.pick(parts), right = random.pick(parts);
    if (!seen.emplace(std::pair(left, right), true).second) continue;
    const std::string bytes = model.tokens[left] + model.tokens[right];
    const auto [found, is_new] = ids.emplace(bytes, static_cast<std::uint32_t>(model.tokens.size()));
    if (is_new) {
      model.tokens.push_back(bytes);
      parts.push_back(found->second);
    }
    model.merges.push_back({left, right, found->second});
  }
  for (std::size_t i = model.merges.size(); i-- > 1;) {
    if (random.below(2) == 0) std::swap(model.merges[i], model.merges[random.below(i + 1)]);
  }
  return model;
}

/// A table of up to `number` words over a small alphabet: random ones, runs, and repetitions of a short
/// piece.
inline Words random_words(Random& random, const std::string& alphabet, std::size_t number,
                          std::size_t longest, std::uint64_t largest_count) {
  const auto letters = [&](std::size_t size) {
    std::string out(size, '\0');
    for (char& c : out) c = alphabet[random.below(alphabet.size())];
    return out;
  };
  std::map<std::string, std::uint64_t> table;
  for (std::size_t i = 0; i < number; ++i) {
    const std::size_t size = random.between(1, longest);
    std::string word = letters(size);
    if (random.below(3) == 0) {
      const std::string piece = letters(random.between(1, 3));
      for (std::size_t k = 0; k < size; ++k) word[k] = piece[k % piece.size()];
    }
    table[word] = 1 + random.below(largest_count);
  }
  Words words(table.begin(), table.end());
  for (std::size_t i = words.size(); i-- > 1;) std::swap(words[i], words[random.below(i + 1)]);
  return words;
}

inline std::string describe(const Words& words) {
  std::string out;
  for (const auto& [word, count] : words) out += "'" + word + "' x " + std::to_string(count) + ", ";
  return out;
}

}  // namespace tokmill::test
