// MurmurHash3_x86_32, a hash of bytes for tables and feature hashing.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ortool::cpu {

std::uint32_t murmur_hash3(const void* data, std::size_t size, std::uint32_t seed);

}  // namespace ortool::cpu
