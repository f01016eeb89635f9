// Statistics of weights: zeros, denormals, NaN and infinities, and duplicates.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "libcore/inspect/weights.hpp"

namespace ortool {

/// Counts over the elements of one tensor. Denormal and non-finite elements exist only in floats of
/// 16 to 64 bits; zeros are not counted in strings, complex numbers and sub-byte types.
struct WeightStatistics {
  std::int64_t zeros = 0;
  std::int64_t denormals = 0;
  std::int64_t nans = 0;
  std::int64_t infinities = 0;
  std::string sha256;  ///< of the bytes

  void add(const WeightStatistics& other);
};

/// Reads the tensor once, in blocks; pages of mapped files are released after reading.
WeightStatistics scan_weight(const Tensor& tensor);

/// Weights with equal type, shape and content.
struct DuplicateGroup {
  std::vector<std::size_t> weights;  ///< at least two indices into the list
  std::int64_t wasted_bytes = 0;     ///< size of all copies but one
};

/// `statistics` has one entry for each of `weights`. The groups with the most wasted bytes come
/// first.
std::vector<DuplicateGroup> find_duplicates(std::span<const Weight> weights,
                                            std::span<const WeightStatistics> statistics);

}  // namespace ortool
