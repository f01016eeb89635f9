// Scatter, ScatterElements and ScatterND: updates replace or are combined with the elements at
// indexed places; every index is checked before use.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/cpu/data_movement/element_walk.hpp"
#include "libcore/base/parallel/thread_pool.hpp"
#include "libcore/tensor/data_type.hpp"

namespace ortool::cpu {

enum class ScatterOp { replace, add, multiply, maximum, minimum };

/// Whether `op` supports the type: replace for whole-byte types; add and multiply for numbers,
/// booleans (or, and) and complex numbers; max and min for numbers and booleans.
bool can_scatter(ScatterOp op, DataType type);

// `out` holds the tensor that is updated. Updates of the same element are applied in order, so
// results do not depend on the number of threads. Integers wrap, 16-bit floats are rounded at every
// update, and NaN wins in both max and min. An index outside [-size, size - 1] throws
// ErrorCode::invalid.

/// Applies updates[..., k, ...] to out[..., indices[..., k, ...], ...] along the axis of `places`,
/// which describes the indices' addressing of `out`.
template <typename Index>
void scatter_elements(void* out, const Index* indices, const void* updates,
                      const ElementPlaces& places, ScatterOp op, DataType type, Workers& workers);

/// indices: rows × depth; each row gives the leading coordinates of a slice of `out`; updates: rows
/// × the slice's elements.
void scatter_nd(void* out, std::span<const std::int64_t> shape, const std::int64_t* indices,
                std::int64_t rows, std::int64_t depth, const void* updates, ScatterOp op,
                DataType type, Workers& workers);

}  // namespace ortool::cpu
