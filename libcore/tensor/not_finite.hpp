// NaN and infinities in a tensor: their number and the position of the first.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libcore/tensor/tensor.hpp"

namespace ortool {

/// Magnitudes beyond the range of float32 count as infinite, since scales are float32.
struct NonFiniteCount {
  std::int64_t nan_count = 0;
  std::int64_t infinity_count = 0;
  double first = 0;                    ///< the first such element
  std::vector<std::int64_t> position;  ///< its index along each axis

  std::int64_t count() const { return nan_count + infinity_count; }
  /// "-inf at [0, 2, 1], the first of 3 such elements".
  std::string to_string() const;
};

/// For numeric tensors; nothing is counted in others.
NonFiniteCount find_not_finite(const Tensor& tensor);

}  // namespace ortool
