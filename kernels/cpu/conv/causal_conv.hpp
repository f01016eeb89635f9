// A convolution along time, channel by channel, that sees the past only.
#pragma once

#include <cstdint>

#include "kernels/cpu/isa/cpu_features.hpp"
#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

struct CausalConvSizes {
  std::int64_t batch = 0;
  std::int64_t channels = 0;
  std::int64_t length = 0;
  std::int64_t kernel = 1;
  bool has_silu = false;
};

/// y[t] = bias + the sum of weight[k] times what comes `kernel - 1 - k` steps before t, the past
/// (null: zeros; kernel - 1 steps) before the input; then y times its sigmoid. `present` (null: not
/// wanted) gets the last kernel - 1 steps. Each row is computed whole.
void causal_conv(const CausalConvSizes& sizes, const float* x, const float* weight,
                 const float* bias, const float* past, float* y, float* present, Isa isa,
                 Workers& workers);

}  // namespace ortool::cpu
