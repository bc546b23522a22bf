// The zstd seekable format: what the writer and the reader of framed files share.
//
//   file       := frame* seek_table
//   frame      := a zstd frame of at most frame_size bytes, with its size and its 32-bit content checksum
//   seek_table := u32 0x184D2A5E (skippable frame), u32 length of what follows
//                 { u32 compressed size, u32 plain size, u32 checksum }  for each frame
//                 u32 number of frames, u8 descriptor = 0x80 (checksums), u32 0x8F92EAB1
//
// Source: contrib/seekable_format/zstd_seekable_compression_format.md of zstd, version 0.1.0. All numbers
// are little-endian; the checksum is the low half of XXH64 of the plain bytes, as at the frame's own end.
#pragma once

#include <cstdint>

namespace tokmill::frame_format {

inline constexpr std::uint32_t kSkippableMagic = 0x184D2A5E;
inline constexpr std::uint32_t kSeekableMagic = 0x8F92EAB1;
inline constexpr std::uint8_t kHasChecksums = 0x80;
inline constexpr std::uint32_t kEntryBytes = 12;
inline constexpr std::uint32_t kHeaderBytes = 8;
inline constexpr std::uint32_t kFooterBytes = 9;

/// Plain bytes in a frame, unless told otherwise.
inline constexpr std::uint32_t kDefaultFrameSize = 1 << 20;
inline constexpr int kDefaultLevel = -2;

}  // namespace tokmill::frame_format
