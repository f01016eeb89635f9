// Depthwise int8 NCHW16c convolution by taps side by side: one instruction gathers four pixels.
#pragma once

#include "kernels/cpu/conv/int8_nchwc/microkernel.hpp"
#include "kernels/cpu/isa/isa_kernel.hpp"

namespace ortool::cpu {

/// As `window`, where words are of four taps side by side: offsets are one a word, to its first
/// tap, and weights are words × 16 × 4.
using JoinedWindowFunction = bool (*)(const NchwcInt8Window& window);

ORTOOL_ISA_KERNEL_OR_NULL(JoinedWindowFunction, joined_window, vbmi)

}  // namespace ortool::cpu
