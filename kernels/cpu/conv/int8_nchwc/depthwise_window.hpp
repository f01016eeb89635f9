// Depthwise int8 NCHW16c microkernel for quads of horizontally adjacent taps.
#pragma once

#include "kernels/cpu/conv/int8_nchwc/microkernel.hpp"
#include "kernels/cpu/isa/isa_kernel.hpp"
#include "kernels/cpu/isa/vbmi_features.hpp"

namespace ortool::cpu {

/// Like `window`, with quads of four adjacent taps: there is one offset per quad, to its first tap,
/// and weights are quads × 16 × 4.
using JoinedWindowFunction = bool (*)(const NchwcInt8Window& window);

ORTOOL_ISA_KERNEL_OR_NULL(JoinedWindowFunction, joined_window, vbmi)

}  // namespace ortool::cpu
