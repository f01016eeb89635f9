// Per-channel lookup tables: the NCHW16c loop that needs instructions beyond baseline.
#pragma once

#include <stdint.h>

#include "kernels/cpu/isa/isa_kernel.hpp"

namespace ortool::cpu {

ORTOOL_ISA_FUNCTIONS(
    (avx512),
    /// out[16 p + lane] = tables[offsets[lane] + in[16 p + lane]]; offsets are multiples of four.
    void look_up_pixels(const uint8_t* in, const uint8_t* tables, const int32_t* offsets,
                        int64_t pixels, uint8_t* out);)

}  // namespace ortool::cpu
