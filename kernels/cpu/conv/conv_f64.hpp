// Convolution of images (NCHW) in float64.
#pragma once

#include <cstdint>

#include "kernels/cpu/conv/f32_nchw/conv.hpp"
#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

/// y = the sum over input channels and kernel positions, in this order, + bias (null: none). Each
/// row of outputs is computed by one task, so results do not depend on the number of threads.
void conv_f64(const ConvSizes& sizes, const double* x, const double* weights, const double* bias,
              double* y, Workers& workers);

}  // namespace ortool::cpu
