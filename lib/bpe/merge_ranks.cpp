#include "bpe/merge_ranks.h"

#include <bit>

namespace tokmill {

MergeRanks::MergeRanks(const TokenizerModel& model)
    : slots_(std::bit_ceil(2 * model.merges.size() + 2)), mask_(slots_.size() - 1) {
  byte_ids_.fill(kNone);
  std::vector<bool> is_special(model.tokens.size());
  for (const auto& special : model.specials) is_special[special.id] = true;
  for (std::uint32_t id = 0; id < model.tokens.size(); ++id) {
    const std::string& token = model.tokens[id];
    if (token.size() == 1 && !is_special[id]) byte_ids_[static_cast<unsigned char>(token[0])] = id;
  }
  for (std::uint32_t rank = 0; rank < model.merges.size(); ++rank) {
    const auto& merge = model.merges[rank];
    const std::uint64_t key = std::uint64_t{merge.left} << 32 | merge.right;
    std::size_t i = home(key);
    while (slots_[i].key != kFree && slots_[i].key != key) i = (i + 1) & mask_;
    slots_[i] = {
        key, {rank, merge.result}};  // a pair listed twice has its last rank, as in Hugging Face tokenizers
  }
}

}  // namespace tokmill
