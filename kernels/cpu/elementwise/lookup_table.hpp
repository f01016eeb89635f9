// Bytes by a table of 256, in registers where a processor can look up many at a time.
#pragma once

#include <stdint.h>

namespace ortool::cpu {

/// out[i] = table[in[i]] for `count` bytes; `out` may be `in`.
using ByteTableFunction = void (*)(const uint8_t* in, const uint8_t* table, int64_t count,
                                   uint8_t* out);

namespace avx2 {
void look_bytes_up(const uint8_t* in, const uint8_t* table, int64_t count, uint8_t* out);
}
namespace amx_avx512 {
void look_bytes_up(const uint8_t* in, const uint8_t* table, int64_t count, uint8_t* out);
}

}  // namespace ortool::cpu
