// Slice selection from a tensor of any type, strings included, by index.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/cpu/data_movement/gather.hpp"
#include "libcore/provider/kernel.hpp"

namespace ortool::cpu {

/// Views `tensor` as `sizes` and returns its slices `indices` along the axis with shape `shape`.
Tensor take_slices(const DynamicContext& context, const Tensor& tensor,
                   std::span<const std::int64_t> indices, const GatherSizes& sizes, Shape shape);

}  // namespace ortool::cpu
