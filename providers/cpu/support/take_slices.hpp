// Slices of a tensor of any type, strings included, picked by their numbers.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/cpu/data_movement/gather.hpp"
#include "libcore/provider/kernel.hpp"

namespace ortool::cpu {

/// `tensor` seen as `sizes`, of which the slices `indices` along the axis become a tensor of
/// `shape`.
Tensor take_slices(const DynamicContext& context, const Tensor& tensor,
                   std::span<const std::int64_t> indices, const GatherSizes& sizes, Shape shape);

}  // namespace ortool::cpu
