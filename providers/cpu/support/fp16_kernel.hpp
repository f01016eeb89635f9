// fp16 promotion: runs float16 and bfloat16 operators with a float32 kernel and conversions.
#pragma once

#include "kernels/cpu/isa/cpu_features.hpp"
#include "libcore/provider/kernel.hpp"

namespace ortool::cpu {

/// Runs `inner`, compiled for float32, on operands of 16-bit floating-point types: inputs are
/// widened and outputs narrowed in the workspace. Operands of other types are passed through;
/// inputs that `inner` has packed are not read.
KernelPtr make_fp16_kernel(KernelPtr inner, Isa isa);

}  // namespace ortool::cpu
