// Gather, GatherElements and GatherND; every index is checked before use.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/cpu/data_movement/element_walk.hpp"
#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

// Index: int32_t or int64_t; an index below 0 counts from the end. One outside [-size, size - 1]
// throws ErrorCode::invalid with its value, its position and the bound.

/// in: outer × axis × inner, out: outer × indices × inner.
struct GatherSizes {
  std::int64_t outer = 1;
  std::int64_t axis = 0;
  std::int64_t inner = 1;
};

template <typename Index>
void gather(const void* in, std::span<const Index> indices, void* out, GatherSizes sizes,
            std::int64_t element_bytes, Workers& workers);

/// out[..., k, ...] = in[..., indices[..., k, ...], ...] along the axis of `places`, which
/// describes the indices' addressing of `in`.
template <typename Index>
void gather_elements(const void* in, const Index* indices, void* out, const ElementPlaces& places,
                     std::int64_t element_bytes, Workers& workers);

/// indices: rows × depth; each row gives the leading coordinates of a slice of in, after batch_dims
/// shared dimensions whose product divides rows. out: rows × the slice's elements.
void gather_nd(const void* in, std::span<const std::int64_t> shape, const std::int64_t* indices,
               std::int64_t rows, std::int64_t depth, std::int64_t batch_dims, void* out,
               std::int64_t element_bytes, Workers& workers);

/// Throws the error above.
[[noreturn]] void refuse_index(std::int64_t index, std::int64_t size, std::int64_t position);

/// The offset that an index refers to; throws the error above.
inline std::int64_t checked_index(std::int64_t index, std::int64_t size, std::int64_t position) {
  const std::int64_t offset = index < 0 ? index + size : index;
  if (static_cast<std::uint64_t>(offset) < static_cast<std::uint64_t>(size)) return offset;
  refuse_index(index, size, position);
}

}  // namespace ortool::cpu
