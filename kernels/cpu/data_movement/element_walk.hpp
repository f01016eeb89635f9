// Element-wise gather/scatter addressing: each element of an index tensor refers to a place in a
// larger tensor, at the same coordinates except along one axis, where the element is the
// coordinate.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"

namespace ortool::cpu {

/// How an index tensor addresses a tensor of `shape`. Throws ErrorCode::invalid if a dimension
/// other than the axis is smaller than that of the index tensor.
struct ElementPlaces {
  std::vector<std::int64_t> index_shape;
  std::vector<std::int64_t> strides;  ///< of the tensor; 0 along the axis
  std::int64_t axis_size = 0;
  std::int64_t axis_stride = 1;
  std::int64_t row = 1;       ///< size of the index tensor's innermost dimension
  std::int64_t row_step = 1;  ///< of the offset, per element: 0 along the axis, else 1
  std::int64_t outer = 1;     ///< product of the index tensor's sizes before the axis
  std::int64_t inner = 1;     ///< product of the sizes from the axis on

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

/// Calls body(offset, position) for rows [begin, end) of the index tensor: the offset in the tensor
/// for index 0 of the row's first element, and the position of that element.
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
