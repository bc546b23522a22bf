// Trains a tokenizer on a corpus.
#pragma once

#include <string>
#include <vector>

#include "bpe/trainer.h"
#include "pipeline/count.h"

namespace tokmill {

/// Where special tokens stand among the ids.
enum class SpecialPlace { kFirst, kAfterBytes, kLast };

/// "first", "after-bytes", "last".
std::string_view special_place_name(SpecialPlace place);
/// Throws UsageError for another name.
SpecialPlace special_place_from_name(std::string_view name);

/// "bytes", "hf".
std::string_view tie_break_name(TieBreak tie_break);
/// Throws UsageError for another name.
TieBreak tie_break_from_name(std::string_view name);

struct TrainOptions {
  CountOptions count;
  std::uint64_t vocabulary_size = 0;  // 256 bytes, the special tokens, and the merges
  std::uint64_t min_frequency = 1;
  SpecialPlace special_place = SpecialPlace::kFirst;
  /// With kHf the bytes are also numbered as Hugging Face tokenizers numbers them.
  TieBreak tie_break = TieBreak::kBytes;
  /// Seconds after which the merges made so far are put by again, so that a training that is stopped goes on
  /// from them; 0: never. The result does not depend on it.
  double checkpoint_every = 60;
};

/// The files that `train` leaves in its output directory; training.json comes last and lists the others with
/// their checksums.
inline constexpr char kTrainingReport[] = "training.json";

/// In the report's `extra`, if the training went on from merges that an earlier attempt had made: their
/// number.
inline constexpr char kResumedFrom[] = "resumed_from_merges";

/// Counts the corpus, or adds the `tables` counted before (then `corpus` is empty, and the options of
/// counting are the tables'), trains, and writes TOKENIZER_DIR.
RunReport run_train(const Corpus& corpus, const std::vector<std::string>& tables, TrainOptions options,
                    const RunOptions& run, const std::string& output);

}  // namespace tokmill
