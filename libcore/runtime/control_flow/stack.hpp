// Slices of a tensor along an axis, and tensors stacked along a new one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "libcore/tensor/run_value.hpp"

namespace ortool {

/// The slice `index` of `tensor` along `axis`, without that axis. Along axis 0 it is a view of the
/// tensor's bytes, which must stay alive; else a copy. Axis and index must be in range.
Tensor slice_at(const Tensor& tensor, std::int64_t axis, std::int64_t index, MemoryCap* cap);

/// Equal shapes and types put side by side along the new axis `axis` of the result, the last first
/// where `reversed`. `empty_shape` (with the new axis of 0) and `type` are those of a stack of
/// nothing. Throws ErrorCode::invalid when shapes differ; `what` names the tensors in that error.
Tensor stack(std::span<const RunValue> tensors, std::int64_t axis, bool reversed, DataType type,
             const Shape& empty_shape, const char* what, MemoryCap* cap);

}  // namespace ortool
