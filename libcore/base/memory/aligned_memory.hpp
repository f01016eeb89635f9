// Aligned memory blocks from the C library, with large pages if they fit.
#pragma once

#include <cstddef>

namespace ortool {

/// Aligned to 64 bytes, or to a large page if the block contains one; null when the system refuses.
std::byte* allocate_aligned(std::size_t bytes) noexcept;
/// `data` may be null.
void free_aligned(std::byte* data) noexcept;

/// The owner of a block, stored in its header; initially null.
void* manager_of(const std::byte* data) noexcept;
void set_manager(std::byte* data, void* manager) noexcept;

}  // namespace ortool
