// Sizes as users write them, and what memory there is and is used.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tokmill {

/// "4096", "64K", "1.5G", "2T": bytes, with binary multiples. Throws UsageError for anything else.
std::uint64_t parse_size(std::string_view text);
/// A size, or a share such as "80%" of available_memory().
std::uint64_t parse_memory(std::string_view text);
/// "1.5 GiB", "312 B".
std::string spell_size(std::uint64_t bytes);

/// Bytes this process may use: the machine's memory, or the limit of its cgroups where that is less.
std::uint64_t available_memory();

/// Bytes of a process's own memory now (anonymous and shared, not mapped files); 0 if it has ended.
/// `pid` 0 is this process.
std::uint64_t own_memory(int pid = 0);

/// The cores this process may run on.
unsigned available_cores();

}  // namespace tokmill
