// All tables are in the same order, so a heap of their next entries gives the sum in that order.
#include "bpe/table_merge.h"

#include <algorithm>

#include "io/error.h"

namespace tokmill {

namespace {

struct Source {
  CountTableReader::Entries entries;
  CountTableOrder next;
};

}  // namespace

void merge_partition(const std::vector<const CountTableReader*>& tables, std::size_t partition,
                     CountTableWriter& writer) {
  std::vector<Source> sources;
  sources.reserve(tables.size());
  for (const CountTableReader* table : tables) {
    CountTableReader::Entries entries(*table, partition);
    if (!entries.next()) continue;
    const std::string_view pretoken = entries.pretoken();
    sources.push_back({std::move(entries), CountTableOrder(pretoken)});
  }
  std::vector<Source*> heap;  // the least entry in front
  for (Source& source : sources) heap.push_back(&source);
  const auto later = [](const Source* a, const Source* b) { return a->next > b->next; };
  std::ranges::make_heap(heap, later);

  std::string pretoken;  // a copy: the entries below move on
  while (!heap.empty()) {
    const std::uint64_t hash = heap.front()->next.hash;
    pretoken = heap.front()->next.pretoken;
    std::uint64_t count = 0;
    while (!heap.empty() && heap.front()->next.hash == hash && heap.front()->next.pretoken == pretoken) {
      std::ranges::pop_heap(heap, later);
      Source& source = *heap.back();
      if (__builtin_add_overflow(count, source.entries.count(), &count)) {
        throw Error("the counts of a pretoken add up to more than 64 bits");
      }
      if (source.entries.next()) {
        source.next = CountTableOrder(source.entries.pretoken());
        std::ranges::push_heap(heap, later);
      } else {
        heap.pop_back();
      }
    }
    writer.add(CountTableOrder(hash, pretoken), count);
  }
}

}  // namespace tokmill
