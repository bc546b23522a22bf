#include "text/pretoken_block.h"

#include "io/error.h"

namespace tokmill {

void PretokenBlock::throw_too_far() {
  throw Error("a pretoken of 4 GiB or more: the pattern finds no place to cut the text");
}

}  // namespace tokmill
