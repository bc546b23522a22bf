// The file of a count table: what its writer and its reader share.
//
//   table     := magic partition{64} footer trailer
//   partition := block*
//   block     := u64 stored length, u64 plain length, stored bytes
//   entry     := varint length, bytes, varint count
//   footer    := JSON
//   trailer   := u64 length of the footer, u64 XXH3 of the footer, magic
//
// A partition has the pretokens whose hash begins with its number, in 6 bits. A block's plain bytes are
// entries; it stores them as they are, where both lengths are the same, else as a zstd frame. The footer is
// CountTableInfo and, for each partition, where it lies, its entries and its checksum; "plain": true says
// that no block was to be compressed.
//
// A partition's checksum is the XXH3 of its stored bytes. Entries come in ascending order of (XXH3 of the
// bytes, bytes), so that equal tables are equal files, and many tables merge in one pass with little memory.
// Fixed numbers are little-endian, varints as in io/coding.h.
#pragma once

#include <cstddef>
#include <string_view>

namespace tokmill::count_table_format {

inline constexpr std::string_view kMagic = "TOKMILL1";
inline constexpr std::size_t kPartitions = 64;
inline constexpr int kPartitionShift = 58;         // of the 64-bit hash
inline constexpr std::size_t kBlock = 256 * 1024;  // plain bytes after which a block ends
inline constexpr int kLevel = -7;                  // as FrameCompressor has it
inline constexpr std::size_t kBlockHeader = 16;
inline constexpr std::size_t kTrailer = 24;

}  // namespace tokmill::count_table_format
