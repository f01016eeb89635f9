// Causal depthwise convolution along time: each output sees only the current and past steps.
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

/// y[t] = bias + Σ weight[k] · x[t - (kernel - 1 - k)]; steps before the input come from `past`
/// (kernel - 1 steps; null: zeros). y is then multiplied by its sigmoid where requested. `present`
/// (null: not wanted) receives the last kernel - 1 steps. Each row is computed by one task.
void causal_conv(const CausalConvSizes& sizes, const float* x, const float* weight,
                 const float* bias, const float* past, float* y, float* present, Isa isa,
                 Workers& workers);

}  // namespace ortool::cpu
