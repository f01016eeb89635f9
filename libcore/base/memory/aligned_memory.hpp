// Aligned blocks of memory from the C library, in large pages where whole ones fit.
#pragma once

#include <cstddef>

namespace ortool {

/// Aligned to 64 bytes, or to a large page where one fits in; null where the system refuses.
std::byte* allocate_aligned(std::size_t bytes) noexcept;
/// `data` may be null.
void free_aligned(std::byte* data) noexcept;

/// What manages a block, stored in front of its bytes; null at first.
void* manager_of(const std::byte* data) noexcept;
void set_manager(std::byte* data, void* manager) noexcept;

}  // namespace ortool
