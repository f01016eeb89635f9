// Slicing a tensor along an axis, and stacking tensors along a new one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "libcore/tensor/run_value.hpp"

namespace ortool {

/// Slice `index` of `tensor` along `axis`, without that axis. Along axis 0 it is a view of the
/// tensor, which must stay alive; otherwise a copy. Axis and index must be in range.
Tensor slice_at(const Tensor& tensor, std::int64_t axis, std::int64_t index, MemoryCap* cap);

/// Stacks tensors of equal shapes and types along the new axis `axis` of the result, in reverse
/// order if `reversed`. `empty_shape` (with size 0 on the new axis) and `type` are those of an
/// empty stack. Throws ErrorCode::invalid when shapes differ; `what` names the tensors in that
/// error.
Tensor stack(std::span<const RunValue> tensors, std::int64_t axis, bool reversed, DataType type,
             const Shape& empty_shape, const char* what, MemoryCap* cap);

}  // namespace ortool
