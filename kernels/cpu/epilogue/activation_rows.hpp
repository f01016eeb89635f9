// Activation step of product epilogues, one function per instruction set.
#pragma once

#include <stdint.h>

#include "kernels/cpu/isa/isa_kernel.hpp"
#include "libcore/base/activation.hpp"

namespace ortool::cpu {

// See GemmFunctions::activate.
ORTOOL_ISA_FUNCTIONS((baseline, avx2, avx512),
                     void activate_rows(Activation activation, float low, float* values,
                                        int64_t stride, int64_t rows, int64_t columns);)

}  // namespace ortool::cpu
