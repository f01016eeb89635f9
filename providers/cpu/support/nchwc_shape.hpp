// NCHWc storage shapes: NCHWc tensors viewed as plain tensors with one more dimension.
#pragma once

#include <vector>

#include "libcore/tensor/layout.hpp"

namespace ortool::cpu {

/// The storage shape of N x C x D1 x ...: N x ceil(C / block) x D1 x ... x block.
inline Shape stored_shape(const Shape& shape, Layout layout) {
  if (layout == Layout::plain) return shape;
  const std::int64_t block = block_of(layout);
  std::vector<std::int64_t> stored(shape.begin(), shape.end());
  stored[1] = (stored[1] + block - 1) / block;
  stored.push_back(block);
  return Shape(stored);
}

}  // namespace ortool::cpu
