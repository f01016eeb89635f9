// What happens when a mapped file is cut short while it is in use.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace ortool {

/// Keeps a mapping's place and name for the messages below, and its file open. Safe from any
/// thread; past 64 mappings the name is left out of them.
void remember_mapping(const void* address, std::size_t size_bytes, int descriptor,
                      std::string_view name) noexcept;
/// The remembered mapping that all of these bytes lie in; empty where there is none.
std::span<const std::byte> remembered_mapping_around(std::span<const std::byte> bytes) noexcept;
void forget_mapping(const void* address) noexcept;

/// For a system call that could not read `bytes` (EFAULT): their file was cut short. Throws
/// ErrorCode::invalid, naming it.
[[noreturn]] void fail_for_lost_mapping(std::span<const std::byte> bytes);
/// Throws the same where a mapped file is shorter now than its mapping: what was read of the last
/// page may be zeros instead of its content. To be called before a result is kept.
void check_mappings();

/// From now on, reading a mapped page that its file no longer has (SIGBUS) removes temporary files,
/// prints one error line naming the file, and ends the process with the exit code for an unreadable
/// input, also where several threads do so at once. For programs, not for libraries: it takes over
/// a signal.
void end_cleanly_when_mapping_is_lost();

}  // namespace ortool
