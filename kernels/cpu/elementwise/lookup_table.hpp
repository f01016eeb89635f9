// Lookup table of int8 (256 entries), held in registers where the processor can look up many values
// at once.
#pragma once

#include <stdint.h>

#include "kernels/cpu/isa/isa_kernel.hpp"

namespace ortool::cpu {

/// out[i] = table[in[i]] for `count` bytes; `out` may be `in`.
using LookupTableFunction = void (*)(const uint8_t* in, const uint8_t* table, int64_t count,
                                     uint8_t* out);

ORTOOL_ISA_FUNCTIONS((avx2, vbmi), void look_up_table(const uint8_t* in, const uint8_t* table,
                                                      int64_t count, uint8_t* out);)

}  // namespace ortool::cpu
