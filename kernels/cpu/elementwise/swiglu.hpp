// SwiGLU: Swish of a gate, multiplied by a value.
#pragma once

#include <cstdint>

#include "kernels/cpu/isa/cpu_features.hpp"
#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

/// out = gate · sigmoid(alpha · gate) · value for each element; `out` may be `gate`, not `value`.
/// Elements are independent: results do not depend on the number of threads.
void swiglu(const float* gate, const float* value, float* out, std::int64_t count, float alpha,
            Workers& workers, Isa isa);
/// Computed with libm.
void swiglu(const double* gate, const double* value, double* out, std::int64_t count, float alpha,
            Workers& workers);

}  // namespace ortool::cpu
