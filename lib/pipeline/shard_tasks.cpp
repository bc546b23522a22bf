#include "pipeline/shard_tasks.h"

#include <algorithm>

namespace tokmill {

std::size_t ShardTasks::shards() const {
  return (ranges_ + parts_ - 1) / parts_;
}

ShardTask ShardTasks::shard(std::size_t number) const {
  return {number, number * parts_, std::min((number + 1) * parts_, ranges_), true};
}

ShardTask ShardTasks::operator[](std::size_t number) const {
  if (!has_parts()) return shard(number);
  if (parts_first_) return number < ranges_ ? part(number) : shard(number - ranges_);
  return number < shards() ? shard(number) : part(size() - 1 - number);
}

std::size_t ShardTasks::number_of_part(std::size_t range) const {
  return parts_first_ ? range : size() - 1 - range;
}

}  // namespace tokmill
