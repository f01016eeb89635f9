// Handling of mapped files that are truncated while in use (SIGBUS).
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace ortool {

/// Records the address and name of a mapping for the messages below, and keeps its file open.
/// Thread-safe; beyond 64 mappings, messages omit the name.
void remember_mapping(const void* address, std::size_t size_bytes, int descriptor,
                      std::string_view name) noexcept;
/// The recorded mapping that contains all of these bytes; empty if there is none.
std::span<const std::byte> remembered_mapping_around(std::span<const std::byte> bytes) noexcept;
/// The open descriptor of that mapping's file, or -1; valid while the mapping is.
int remembered_file_of(std::span<const std::byte> bytes) noexcept;
void forget_mapping(const void* address) noexcept;

/// For a system call that could not read `bytes` (EFAULT) because their file was truncated. Throws
/// ErrorCode::invalid naming the file.
[[noreturn]] void fail_for_lost_mapping(std::span<const std::byte> bytes);
/// Throws the same if a mapped file is now shorter than its mapping: the rest of the last page may
/// then read as zeros. Call it before a result is kept.
void check_mappings();

/// Installs a SIGBUS handler for accesses to mapped pages that the file no longer has: it removes
/// temporary files, prints one error line naming the file, and ends the process with the exit code
/// of an unreadable input, even if several threads fault at once. For programs, not for libraries,
/// since it replaces a signal handler.
void end_cleanly_when_mapping_is_lost();

}  // namespace ortool
