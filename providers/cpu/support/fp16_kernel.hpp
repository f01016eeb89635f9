// float16 and bfloat16 through float32: a float32 kernel with conversions around it.
#pragma once

#include "kernels/cpu/isa/cpu_features.hpp"
#include "libcore/provider/kernel.hpp"

namespace ortool::cpu {

/// Runs `inner`, compiled for float32, on operands of 16-bit floating-point types: inputs are
/// widened and outputs narrowed in the workspace. Operands of other types pass as they are; inputs
/// that `inner` has packed are not touched.
KernelPtr make_fp16_kernel(KernelPtr inner, Isa isa);

}  // namespace ortool::cpu
