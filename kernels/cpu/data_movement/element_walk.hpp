// The walk over an index tensor whose elements each stand for a place in a larger tensor: at the
// same coordinates, save for the one along an axis, which the element itself gives.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"

namespace ortool::cpu {

/// How the places of an index tensor lie in a tensor of `shape`. Throws ErrorCode::invalid when
/// along another dimension than the axis that is smaller than the index tensor's.
struct ElementPlaces {
  std::vector<std::int64_t> index_shape;
  std::vector<std::int64_t> strides;  ///< of the tensor, 0 along the axis
  std::int64_t axis_size = 0;
  std::int64_t axis_stride = 1;
  std::int64_t row = 1;       ///< elements of the index tensor's innermost dimension
  std::int64_t row_step = 1;  ///< of the place from one to the next: 0 along the axis, else 1
  std::int64_t outer = 1;     ///< products of the index tensor's sizes before the axis
  std::int64_t inner = 1;     ///< and from the axis on

  ElementPlaces(std::span<const std::int64_t> shape, std::span<const std::int64_t> indices,
                std::size_t axis)
      : index_shape(indices.begin(), indices.end()), strides(shape.size(), 1) {
    ORTOOL_CHECK(shape.size() == indices.size() && axis < shape.size());
    for (std::size_t i = shape.size(); i-- > 0;) {
      if (i != axis && indices[i] > shape[i]) {
        throw Error(
            ErrorCode::invalid,
            format("'indices' has {} elements along axis {} (expected at most {}, as the data)",
                   indices[i], i, shape[i]));
      }
      if (i + 1 < shape.size()) strides[i] = strides[i + 1] * shape[i + 1];
      (i < axis ? outer : inner) *= indices[i];
    }
    axis_size = shape[axis];
    axis_stride = strides[axis];
    strides[axis] = 0;
    row = index_shape.back();
    row_step = axis + 1 == shape.size() ? 0 : 1;
  }

  std::int64_t rows() const { return row == 0 ? 0 : outer * inner / row; }
};

/// Calls body(offset, position) for the rows [begin, end) of the index tensor: the offset in the
/// tensor of index 0 of the row's first element, and that element's position.
template <typename Body>
void walk_element_rows(const ElementPlaces& places, std::int64_t begin, std::int64_t end,
                       Body body) {
  const std::size_t outer = places.index_shape.size() - 1;
  std::vector<std::int64_t> index(outer);
  std::int64_t offset = 0;
  std::int64_t rest = begin;
  for (std::size_t i = outer; i-- > 0;) {
    index[i] = rest % places.index_shape[i];
    rest /= places.index_shape[i];
    offset += index[i] * places.strides[i];
  }
  for (std::int64_t row = begin; row < end; ++row) {
    body(offset, row * places.row);
    for (std::size_t i = outer; i-- > 0;) {
      offset += places.strides[i];
      if (++index[i] < places.index_shape[i]) break;
      offset -= index[i] * places.strides[i];
      index[i] = 0;
    }
  }
}

}  // namespace ortool::cpu
