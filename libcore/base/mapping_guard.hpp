// What happens when a mapped file is cut short while it is in use.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace ortool {

/// Keeps a mapping's place and name for the message below. Safe from any thread; past 64 mappings
/// the name is left out of it.
void remember_mapping(const void* address, std::size_t size_bytes, std::string_view name) noexcept;
/// The remembered mapping that all of these bytes lie in; empty where there is none.
std::span<const std::byte> remembered_mapping_around(std::span<const std::byte> bytes) noexcept;
void forget_mapping(const void* address) noexcept;

/// From now on, reading a mapped page that its file no longer has (SIGBUS) removes temporary files,
/// prints one error line naming the file, and ends the process with the exit code for an unreadable
/// input. For programs, not for libraries: it takes over a signal.
void end_cleanly_when_mapping_is_lost();

}  // namespace ortool
