// Hardmax: 1 at the first maximum of each slice along an axis, 0 elsewhere.
#pragma once

#include <cstdint>

#include "kernels/cpu/normalization/softmax.hpp"

namespace ortool::cpu {

/// T: float, double, Float16Bits, BFloat16Bits. The first NaN of a slice counts as its maximum.
/// `out` must not be `in`.
template <typename T>
void hardmax(const T* in, T* out, SoftmaxSizes sizes, Workers& workers);

}  // namespace ortool::cpu
