// Softmax and log-softmax along one axis.
#pragma once

#include <cstdint>

#include "kernels/cpu/isa/cpu_features.hpp"
#include "kernels/cpu/types/fp16_bits.hpp"
#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

/// A tensor viewed as outer × axis × inner; slices run along axis.
struct SoftmaxSizes {
  std::int64_t outer = 1;
  std::int64_t axis = 1;
  std::int64_t inner = 1;
};

enum class SoftmaxKind { probabilities, logarithms };

/// e^(x - max) / Σ e^(x - max), or x - max - ln Σ e^(x - max). `out` may be `in`. A slice that
/// contains NaN or +inf, or only -inf, gives NaN. Slices are not split, so results do not depend on
/// the number of threads.
void softmax(SoftmaxKind kind, const float* in, float* out, SoftmaxSizes sizes, Workers& workers,
             Isa isa);
void softmax(SoftmaxKind kind, const double* in, double* out, SoftmaxSizes sizes, Workers& workers,
             Isa isa);
/// Computed in float32 and rounded once.
void softmax(SoftmaxKind kind, const Float16Bits* in, Float16Bits* out, SoftmaxSizes sizes,
             Workers& workers, Isa isa);
void softmax(SoftmaxKind kind, const BFloat16Bits* in, BFloat16Bits* out, SoftmaxSizes sizes,
             Workers& workers, Isa isa);

}  // namespace ortool::cpu
