// NCHWc weight layout: the order of elements in blocks of channels, and which size of blocks the
// weights' magnitudes speak for.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "libcore/tensor/tensor.hpp"

namespace ortool {

/// Calls visit(filter, input channel, kernel position) for each element of weights of this shape,
/// M x C x K1 x K2, in the order in which they are stored with blocks of this size.
template <typename Visit>
void visit_blocked(const Shape& shape, std::int64_t block, Visit&& visit) {
  const std::int64_t places = shape[2] * shape[3];
  // An image with fewer channels is not in blocks itself.
  const std::int64_t input_block = shape[1] >= block ? block : 1;
  for (std::int64_t o = 0; o < shape[0]; o += block) {
    for (std::int64_t i = 0; i < shape[1]; i += input_block) {
      for (std::int64_t k = 0; k < places; ++k) {
        for (std::int64_t bi = 0; bi < input_block; ++bi) {
          for (std::int64_t bo = 0; bo < block; ++bo) visit(o + bo, i + bi, k);
        }
      }
    }
  }
}

/// The one of two sizes of blocks under which the magnitudes of trained weights differ far more
/// between filters, input channels and kernel positions: the wrong one mixes these. None if the
/// difference is not many times what chance gives.
std::optional<std::int64_t> likely_block_size(std::span<const Tensor> weights, std::int64_t first,
                                              std::int64_t second);

}  // namespace ortool
