// SwiGLU: a gate through Swish times a value.
#pragma once

#include <cstdint>

#include "kernels/cpu/isa/cpu_features.hpp"
#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

/// out = gate · sigmoid(alpha · gate) · value for each element; `out` may be `gate`, not `value`.
/// Elements are computed alone: the bits do not depend on threads.
void swiglu(const float* gate, const float* value, float* out, std::int64_t count, float alpha,
            Workers& workers, Isa isa);
/// By libm.
void swiglu(const double* gate, const double* value, double* out, std::int64_t count, float alpha,
            Workers& workers);

}  // namespace ortool::cpu
