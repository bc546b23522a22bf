// Writes a plain text of any size whose pretokens (pattern `gpt2`) behave as those of web text: the distinct
// ones number about 3.45 n^0.62 in n bytes, a few frequent ones make up most of the text, and half of the
// distinct ones occur once.
//
// Words are drawn independently from one endless vocabulary, in which word number k has a fixed probability:
// falling as 1/(k + 3) among the frequent ones, then as k^(-1/0.62). Of n words drawn from such a law about
// A n^0.62 differ (S. Karlin, "Central limit theorems for certain infinite urn schemes", 1967); so do the
// variants of a word that have a fixed share of it, as at the start of a sentence or after a hyphen. So
// nothing need be remembered of what was written. The spelling of word k is computed from k. Only integers
// are used: a seed gives the same text on every machine.
//
// Cost: two random numbers and three small tables for each word. Not imitated: that a rare word which has
// occurred is likely to occur again soon, and what words follow which.
#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "io/error.h"
#include "io/memory.h"

namespace {

using namespace tokmill;

constexpr char kUsage[] =
    "usage: make_corpus --bytes SIZE [--seed N] > FILE\n\n"
    "Writes a text whose distinct pretokens grow as those of web text: documents of 3 to 5 KB, each with\n"
    "<|endoftext|> after it. The text of a size is the beginning of that of every larger size: the last\n"
    "document is cut at SIZE, or at the start of the character that would pass it. Words and their\n"
    "frequencies are the same for all seeds (default 1), their order is not.\n";

constexpr char kSeparator[] = "<|endoftext|>";

__extension__ using Product = unsigned __int128;

/// x * fraction / 2^64: a share of x, or, of a random fraction, a number below x.
std::uint64_t share(std::uint64_t x, std::uint64_t fraction) {
  return static_cast<std::uint64_t>(static_cast<Product>(x) * fraction >> 64);
}

/// SplitMix64 (G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators", 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(mix(seed)) {}

  std::uint64_t next() { return mix(state_ += 0x9E3779B97F4A7C15); }
  static std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
    return x ^ (x >> 31);
  }

 private:
  std::uint64_t state_;
};

/// Draws the number of a word. The numbers of a band are equally probable. Each of the kFrequent first has a
/// band of its own; then each band is 2^(1/8) times as wide as the one before and 2^(-1/0.62/8) times as
/// dense, up to 2^46. Only one word in 20 million would lie beyond.
class WordNumbers {
 public:
  WordNumbers() {
    std::uint64_t low = 0, weight = 0;
    const auto add = [&](std::uint64_t size, std::uint64_t band_weight) {
      bands_.push_back({weight += band_weight, low, size});
      low += size;
    };
    while (low < kFrequent) add(1, (1ull << 52) / (low + kFlatness));
    std::uint64_t band_weight = (1ull << 52) / (kFrequent + kFlatness) * (share(low, kWider) + 1);
    while (low < 1ull << 46) {
      add(share(low, kWider) + 1, band_weight);
      band_weight = share(band_weight, kRarer);
    }
    // Weights become 64-bit fractions, and each cell of equal size knows the band at its beginning.
    for (Band& band : bands_) band.end = static_cast<std::uint64_t>(((Product{band.end} << 64) - 1) / weight);
    std::uint16_t band = 0;
    for (std::uint64_t cell = 0; cell < cells_.size(); ++cell) {
      while (bands_[band].end <= cell << (64 - kCellBits)) ++band;
      cells_[cell] = band;
    }
  }

  std::uint64_t operator()(std::uint64_t random, std::uint64_t random_in_band) const {
    const Band* band = &bands_[cells_[random >> (64 - kCellBits)]];
    while (random >= band->end && band != &bands_.back()) ++band;
    return band->low + share(band->size, random_in_band);
  }

 private:
  // These two decide how many pretokens differ (which grows as kFrequent^0.38) and how frequent the most
  // frequent are.
  static constexpr std::uint64_t kFrequent = 660, kFlatness = 3;
  static constexpr std::uint64_t kWider = 0x172B83C7D517ADCD;  // 2^(1/8) - 1, of 2^64
  static constexpr std::uint64_t kRarer = 0xF2C2915BE5BF3941;  // 2^((1 - 1/0.62)/8), of 2^64
  static constexpr int kCellBits = 14;

  struct Band {
    std::uint64_t end;  // the random numbers below it (and not below the band before) mean this band
    std::uint64_t low, size;
  };
  std::vector<Band> bands_;
  std::array<std::uint16_t, 1 << kCellBits> cells_;
};

struct Word {
  char bytes[31];  // at most 29 are used
  std::uint8_t length;
};

/// Spells word number k, no two alike. One in 64 is a number; of the rarer ones one in 64 is long, and one in
/// four is a name.
///
/// The letters alternate consonants and vowels: the digits of a number that is about kRoom times k, so that
/// frequent words are short, and not every short spelling is a word.
Word spell(std::uint64_t k) {
  static constexpr char kConsonants[32][3] = {
      "t", "n", "s",  "r",  "l",  "d",  "m",  "c",  "p",  "b",  "g",  "f",  "h",  "v",  "w",  "k",
      "j", "z", "th", "st", "ch", "sh", "sp", "sk", "tr", "pr", "br", "gr", "cl", "pl", "dr", "fr"};
  static constexpr char kVowels[8][3] = {"e", "a", "i", "o", "u", "y", "ea", "ou"};
  constexpr std::uint64_t kRoom = 160, kRare = 200, kLongest = 1 << 28;
  Word word{};
  const auto append = [&](std::string_view text) {
    std::copy(text.begin(), text.end(), word.bytes + word.length);
    word.length = static_cast<std::uint8_t>(word.length + text.size());
  };
  if (k % 64 == 9) {
    append(std::to_string(k / 64));
    return word;
  }
  const std::uint64_t code = k * kRoom + Random::mix(k) % kRoom;
  // The first letter is a vowel in one word of four. Then digits from 1 to the radix, least first: every
  // number is one sequence of them. From 33 on it has a vowel too.
  bool consonant = code % 4 != 0;
  std::uint64_t rest = consonant ? code / 4 * 3 + code % 4 + 32 : code / 4 + 1;
  for (; rest > 0; consonant = !consonant) {
    const std::uint64_t radix = consonant ? 32 : 8;
    append(consonant ? kConsonants[(rest - 1) % radix] : kVowels[(rest - 1) % radix]);
    rest = (rest - 1) / radix;
  }
  if (k % 64 == 41 && k >= kRare && k < kLongest) {  // the only words with an x in them
    const Word second = spell(Random::mix(k) % 512 * 4 + 2);
    append("x");
    append({second.bytes, second.length});
  }
  if (k % 4 == 0 && k >= kRare) word.bytes[0] = static_cast<char>(word.bytes[0] - 'a' + 'A');
  return word;
}

/// What stands between a word and the next.
struct Joint {
  char bytes[14];
  std::uint8_t length;
  bool capital;  // the next word begins a sentence
};

/// Of 1024 words, as many are followed by this; the others by a space.
struct JointShare {
  std::string_view text;
  unsigned share;
  bool capital = false;
};
constexpr JointShare kJoints[] = {
    {", ", 62},         {". ", 46, true}, {".\n", 12, true},
    {".\n\n", 3, true}, {"? ", 3, true},  {"! ", 2, true},
    {": ", 6},          {"; ", 3},        {" (", 6},
    {") ", 6},          {"-", 10},        {"\u2019s ", 7},
    {"'s ", 6},         {"'ll ", 2},      {" \u201C", 4},
    {"\u201D ", 3},     {",\u201D ", 1},  {".\u201D ", 1, true},
    {" \"", 3},         {"\" ", 3},       {" \u2013 ", 3},
    {"\u2014", 2},      {" - ", 3},       {"/", 2},
    {" & ", 1},         {"... ", 1},      {"\n", 3, true},
    {"), ", 1},         {" | ", 1},       {"\u2026 ", 1},
};

class TextMaker {
 public:
  explicit TextMaker(std::uint64_t seed) : random_(seed) {
    for (std::uint64_t k = 0; k < kSpelled; ++k) words_.push_back(spell(k));
    joints_.push_back({" ", 1, false});
    std::size_t chosen = 0;
    for (const JointShare& joint : kJoints) {
      Joint& added = joints_.emplace_back();
      std::memcpy(added.bytes, joint.text.data(), joint.text.size());
      added.length = static_cast<std::uint8_t>(joint.text.size());
      added.capital = joint.capital;
      for (unsigned i = 0; i < joint.share; ++i)
        joint_of_[chosen++] = static_cast<std::uint8_t>(joints_.size() - 1);
    }
  }

  /// The next document, valid until the next call.
  std::string_view next() {
    char* out = document_.data();
    const char* const most = out + kMostDocument;
    const char* const enough = out + kLeastDocument + random_.next() % (kUsualDocument - kLeastDocument);
    bool capital = true;
    while (out < enough || (!capital && out < most)) {
      const std::uint64_t random = random_.next(), other = random_.next();
      const std::uint64_t k = number_(random, other);
      const Word word = k < kSpelled ? words_[k] : spell(k);
      std::memcpy(out, &word, sizeof word);  // in a fixed number of bytes; what is too much is overwritten
      if (capital && *out >= 'a') *out = static_cast<char>(*out - 'a' + 'A');
      out += word.length;
      const Joint& joint = joints_[joint_of_[other % joint_of_.size()]];
      std::memcpy(out, &joint, sizeof joint);
      out += joint.length;
      capital = joint.capital;
    }
    if (out[-1] == ' ') --out;
    const std::string_view end = kSeparator;
    out = std::copy(end.begin(), end.end(), out);
    return {document_.data(), static_cast<std::size_t>(out - document_.data())};
  }

 private:
  static constexpr std::uint64_t kSpelled = 1 << 14;  // words that are spelled once and kept
  static constexpr std::size_t kLeastDocument = 3000, kUsualDocument = 4900, kMostDocument = 6000;

  Random random_;
  const WordNumbers number_;
  std::vector<Word> words_;
  std::vector<Joint> joints_;
  std::array<std::uint8_t, 1024> joint_of_{};
  std::array<char, kMostDocument + 128> document_;
};

void write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size())
    throw Error::system("standard output", "cannot be written", errno);
}

void make_corpus(std::uint64_t bytes, std::uint64_t seed) {
  TextMaker text(seed);
  std::string_view document = text.next();
  for (; document.size() <= bytes; document = text.next()) {
    write(document);
    bytes -= document.size();
  }
  const auto within_character = [&] { return (static_cast<unsigned char>(document[bytes]) & 0xC0) == 0x80; };
  while (within_character()) --bytes;
  write(document.substr(0, bytes));
  if (std::fflush(stdout) != 0) throw Error::system("standard output", "cannot be written", errno);
}

struct Options {
  std::uint64_t bytes = 0, seed = 1;
  bool help = false;
};

Options parse(const std::vector<std::string_view>& arguments) {
  Options options;
  bool has_bytes = false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string name(arguments[i]);
    if (name == "--help" || name == "-h") {
      options.help = true;
      return options;
    }
    if (name != "--bytes" && name != "--seed") throw UsageError("'" + name + "' is not known");
    if (++i == arguments.size()) throw UsageError(name + " has no value");
    const std::string_view value = arguments[i];
    if (name == "--bytes") {
      options.bytes = parse_size(value);
      has_bytes = true;
    } else {
      const auto [end, failure] = std::from_chars(value.data(), value.data() + value.size(), options.seed);
      if (failure != std::errc() || end != value.data() + value.size())
        throw UsageError("--seed " + std::string(value) + ": give a whole number below 2^64");
    }
  }
  if (!has_bytes) throw UsageError("--bytes is missing");
  return options;
}

int fail(const char* message, int code) {
  std::fprintf(stderr, "make_corpus: %s\n", message);
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file over the limit is an error that can be told, as a full disk is
  try {
    const Options options = parse({argv + 1, argv + argc});
    if (options.help) {
      std::fputs(kUsage, stdout);
    } else {
      make_corpus(options.bytes, options.seed);
    }
    return 0;
  } catch (const UsageError& error) {
    return fail((std::string(error.what()) + "; make_corpus --help tells more").c_str(), 2);
  } catch (const std::exception& error) {
    return fail(error.what(), 1);
  }
}
