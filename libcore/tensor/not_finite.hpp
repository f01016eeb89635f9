// NaN and infinities in a tensor: how many there are, and where the first one stands.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libcore/tensor/tensor.hpp"

namespace ortool {

/// Magnitudes beyond float32 count as infinite, since scales are float32.
struct NotFinite {
  std::int64_t nan_count = 0;
  std::int64_t infinity_count = 0;
  double first = 0;                    ///< the first such element
  std::vector<std::int64_t> position;  ///< its index in each dimension

  std::int64_t count() const { return nan_count + infinity_count; }
  /// "-inf at [0, 2, 1], the first of 3 such elements".
  std::string to_string() const;
};

/// Of a tensor of numbers; nothing is counted in others.
NotFinite find_not_finite(const Tensor& tensor);

}  // namespace ortool
