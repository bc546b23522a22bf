// The ids of a shard on their way out.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

namespace tokmill {

/// A buffer of ids that hands its content on when it is full.
template <class Id>
class IdBuffer {
 public:
  using Sink = std::function<void(std::string_view)>;

  explicit IdBuffer(Sink sink) : sink_(std::move(sink)), ids_(new Id[kCapacity]), end_(ids_.get()) {}

  /// A place for up to `count` ids (at most kRoom); tell `advance_to` how far it was used.
  Id* room(std::size_t count) {
    if (static_cast<std::size_t>(ids_.get() + kCapacity - end_) < count) flush();
    return end_;
  }
  void advance_to(Id* end) { end_ = end; }
  void append(Id id) {
    *room(1) = id;
    ++end_;
  }
  template <class Ids>
  void append(const Ids& ids) {
    for (auto next = ids.begin(); next != ids.end();) {
      const auto count = std::min<std::ptrdiff_t>(ids.end() - next, kRoom);
      end_ = std::transform(next, next + count, room(kRoom), [](auto id) { return static_cast<Id>(id); });
      next += count;
    }
  }
  /// Ids appended so far, those handed on included.
  std::uint64_t total() const { return handed_on_ + static_cast<std::uint64_t>(end_ - ids_.get()); }
  void flush() {
    handed_on_ = total();
    sink_({reinterpret_cast<const char*>(ids_.get()),
           static_cast<std::size_t>(end_ - ids_.get()) * sizeof(Id)});
    end_ = ids_.get();
  }

  static constexpr std::size_t kRoom = 1 << 15;

 private:
  static constexpr std::size_t kCapacity = 1 << 16;
  Sink sink_;
  std::unique_ptr<Id[]> ids_;
  Id* end_;
  std::uint64_t handed_on_ = 0;
};

}  // namespace tokmill
