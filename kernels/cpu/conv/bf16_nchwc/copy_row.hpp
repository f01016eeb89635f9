// Copy of a row of pixels for bfloat16 convolution, shared by the microkernels.
#pragma once

#include "kernels/cpu/conv/bf16_nchwc/microkernel.hpp"

namespace ortool::cpu {

// See Bf16ConvFunctions.
ORTOOL_ISA_BF16_FUNCTIONS((bf16), void copy_row(const Bf16RowCopy& copy);
                          void round_row(const float* in, int64_t count, uint16_t* out);)

}  // namespace ortool::cpu
