// What there is to do to make shards.
#pragma once

#include <cstddef>

namespace tokmill {

/// What comes to one file: ranges [first, end) of a plan, which are a whole shard, or a part of one.
struct ShardTask {
  std::size_t shard, first, end;
  bool is_whole;
  bool operator==(const ShardTask&) const = default;
};

/// The tasks of a pool that makes shards, `parts` ranges each (the last one may have fewer). Where that is
/// more than one range, there is a task for each shard and one for each part: a shard's worker takes its
/// parts too, or waits for those who have taken them.
class ShardTasks {
 public:
  /// `parts_first`: all parts come before the shards, which are then only put together.
  ShardTasks(std::size_t ranges = 0, std::size_t parts = 1, bool parts_first = false)
      : ranges_(ranges), parts_(parts), parts_first_(parts_first) {}

  std::size_t shards() const;
  /// Whether parts are tasks of their own.
  bool has_parts() const { return parts_ > 1; }
  ShardTask shard(std::size_t number) const;
  /// A range as a part.
  ShardTask part(std::size_t range) const { return {range / parts_, range, range + 1, false}; }

  std::size_t size() const { return has_parts() ? shards() + ranges_ : ranges_; }
  /// In the order in which they are taken: shards, and then parts, from the last one on, so that a worker
  /// that finds no shard left takes what others would come to last; or, parts first, in the order of the
  /// text.
  ShardTask operator[](std::size_t number) const;
  /// The number of the task to make a range's part.
  std::size_t number_of_part(std::size_t range) const;

 private:
  std::size_t ranges_, parts_;
  bool parts_first_;
};

}  // namespace tokmill
