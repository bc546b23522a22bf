// The classes of 64 bytes of text as masks of 64 bits.
#pragma once

#include <bit>
#include <cstdint>

#include "text/classified_character.h"

namespace tokmill {

/// Bit i is byte i. Every byte of a character has the character's class; bytes of no class have no bit.
struct ClassMasks {
  std::uint64_t letter = 0, number = 0, white_space = 0;
};

/// Characters that begin in a block and end in the next: the classes of the next block's first bytes.
struct MaskCarry {
  ClassMasks classes;
  std::uint64_t covered = 0;
};

/// Adds the classes of the characters that are not ASCII, one character at a time. `high` are the bytes above
/// 0x7F before `end`.
inline void paint_characters(const char* block, const char* end, std::uint64_t high, ClassMasks& masks,
                             MaskCarry& carry) {
  std::uint64_t painted[5] = {};  // by CharacterClass
  std::uint64_t beyond[5] = {};
  std::uint64_t covered = 0;
  for (std::uint64_t todo = high & ~carry.covered; todo != 0;) {
    const int i = std::countr_zero(todo);
    const ClassifiedCharacter c = classify(block + i, end);
    const std::uint64_t bits = (std::uint64_t{1} << c.length) - 1;
    painted[c.character_class] |= bits << i;
    todo &= ~(bits << i);
    if (i + static_cast<int>(c.length) > 64) [[unlikely]] {
      covered = bits >> (64 - i);
      beyond[c.character_class] = covered;
    }
  }
  masks.letter |= painted[kLetter] | carry.classes.letter;
  masks.number |= painted[kNumber] | carry.classes.number;
  masks.white_space |= painted[kWhiteSpace] | carry.classes.white_space;
  carry = {{beyond[kLetter], beyond[kNumber], beyond[kWhiteSpace]}, covered};
}

}  // namespace tokmill
