// Elements and slices written to places that index tensors give, replacing what is there or
// combined with it; every index is checked before it is used.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/cpu/data_movement/element_walk.hpp"
#include "libcore/base/parallel/thread_pool.hpp"
#include "libcore/tensor/data_type.hpp"

namespace ortool::cpu {

enum class ScatterOp { replace, add, multiply, maximum, minimum };

/// Whether `op` is there for the type: replace for whole bytes, add and multiply for numbers,
/// booleans (or, and) and complex numbers, the extremes for numbers and booleans.
bool can_scatter(ScatterOp op, DataType type);

// `out` holds the tensor that is changed. Updates of one place are taken in their order,
// so the bits do not depend on threads. Integers wrap, 16-bit floats round at every update, NaN is
// the larger and the smaller. An index outside [-size, size - 1] throws ErrorCode::invalid.

/// out[..., indices[..., k, ...], ...] along the axis of `places`, which are those of the indices
/// in `out`, takes updates[..., k, ...].
template <typename Index>
void scatter_elements(void* out, const Index* indices, const void* updates,
                      const ElementPlaces& places, ScatterOp op, DataType type, Workers& workers);

/// indices: rows × depth, each row the leading coordinates of a slice of `out`; updates: rows × the
/// slice's elements.
void scatter_nd(void* out, std::span<const std::int64_t> shape, const std::int64_t* indices,
                std::int64_t rows, std::int64_t depth, const void* updates, ScatterOp op,
                DataType type, Workers& workers);

}  // namespace ortool::cpu
