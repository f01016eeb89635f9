// Sub-byte types: elements of two, four or six bits with a byte for each, and back.
#pragma once

#include <cstddef>
#include <cstdint>

#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

/// out[i] = the bits of element i, zeros above them. `bits` is 2, 4 or 6.
void unpack_elements(int bits, const std::byte* in, std::uint8_t* out, std::int64_t count,
                     Workers& workers);

/// Element i = the low bits of in[i]; what is left of the last byte is 0.
void pack_elements(int bits, const std::uint8_t* in, std::byte* out, std::int64_t count,
                   Workers& workers);

}  // namespace ortool::cpu
