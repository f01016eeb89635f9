// What the stored numbers are like: zero, denormal, not finite, stored twice.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "libcore/inspect/weights.hpp"

namespace ortool {

/// Counts over the elements of one tensor. Denormals and what is not finite only exist in floats of
/// 16 to 64 bits; zeros are not counted in strings, complex numbers and types of less than a byte.
struct WeightStatistics {
  std::int64_t zeros = 0;
  std::int64_t denormals = 0;
  std::int64_t nans = 0;
  std::int64_t infinities = 0;
  std::string sha256;  ///< of the bytes

  void add(const WeightStatistics& other);
};

/// Reads the tensor once, in pieces: pages of mapped files are let go behind them.
WeightStatistics scan_weight(const Tensor& tensor);

/// Weights of the same type, shape and content.
struct DuplicateGroup {
  std::vector<std::size_t> weights;  ///< at least two, as positions in the list
  std::int64_t wasted_bytes = 0;     ///< those of all but one
};

/// `statistics` belong to `weights` one by one. The most wasteful group comes first.
std::vector<DuplicateGroup> find_duplicates(std::span<const Weight> weights,
                                            std::span<const WeightStatistics> statistics);

}  // namespace ortool
