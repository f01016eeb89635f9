// Comparison of a tensor with a reference, and statistics of one tensor.
#pragma once

#include <cstdint>
#include <string>

#include "libcore/tensor/tensor.hpp"

namespace ortool {

/// Tolerance of elements: |found - expected| <= atol + rtol * |expected|. Integers, bools and
/// strings must be equal in any case.
struct Tolerance {
  double rtol = 1e-3;
  double atol = 1e-7;
  /// Interprets atol as a multiple of the reference's largest finite magnitude.
  bool atol_of_max = false;
};

/// The result of a comparison. NaN equals NaN; infinities must be equal.
struct TensorComparison {
  bool passed = false;
  std::string difference;    ///< describes a different type or shape; the rest is then unset
  double max_abs_error = 0;  ///< over pairs of finite elements
  double max_rel_error = 0;  ///< the same, where the expected one is not zero
  double max_ulp = 0;        ///< for floats: distance in ULPs of their own format
  double cosine = 1;         ///< over finite pairs; 1 when both are all zero
  double sqnr_db = 0;        ///< 10 log10(sum expected^2 / sum error^2); infinite when equal
  std::int64_t mismatched = 0;
  std::int64_t count = 0;
  std::int64_t worst_index = -1;  ///< flat index of the worst element; -1 when all are equal
};

/// Compares `found` with the reference `expected`.
TensorComparison compare(const Tensor& found, const Tensor& expected,
                         const Tolerance& tolerance = {});

/// Statistics of a numeric tensor; for strings and complex numbers, only the count.
struct Statistics {
  std::int64_t count = 0;
  double min = 0;  ///< without NaN; 0 when there are none
  double max = 0;
  double mean = 0;  ///< over the finite ones
  double std = 0;   ///< population standard deviation
  std::int64_t nan_count = 0;
  std::int64_t inf_count = 0;
};

Statistics statistics_of(const Tensor& tensor);

}  // namespace ortool
