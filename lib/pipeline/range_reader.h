// Reads the text of ranges through mappings.
#pragma once

#include "io/mapped_file.h"
#include "pipeline/plan.h"

namespace tokmill {

/// Calls `read(text, segment)` for each segment of a range, in order. The text is mapped, with
/// MappedFile::kSlack readable bytes after it, and valid during the call only.
template <class Read>
void for_each_segment(const Corpus& corpus, const Range& range, Read read) {
  for (const Segment& segment : range.segments) {
    const Corpus::Input& input = corpus.inputs[segment.input];
    const MappedFile mapped(input.path, input.identity, segment.begin, segment.end);
    read(mapped.bytes(), segment);
  }
}

}  // namespace tokmill
