// Comparing a tensor with a reference, and statistics of one.
#pragma once

#include <cstdint>
#include <string>

#include "libcore/tensor/tensor.hpp"

namespace ortool {

/// How far elements may be off: |found - expected| <= atol + rtol * |expected|. Integers, bools and
/// strings must be the same whatever stands here.
struct Tolerance {
  double rtol = 1e-3;
  double atol = 1e-7;
  /// atol is a multiple of the reference's largest finite magnitude.
  bool atol_of_max = false;
};

/// What a comparison found. NaN equals NaN; infinities must be the same.
struct TensorComparison {
  bool passed = false;
  std::string difference;    ///< other type or shape, in words; nothing else is filled then
  double max_abs_error = 0;  ///< of pairs of finite elements
  double max_rel_error = 0;  ///< the same, where the expected one is not zero
  double max_ulp = 0;        ///< of floats: steps between the two in their own format
  double cosine = 1;         ///< of the finite pairs; 1 when both are all zero
  double sqnr_db = 0;        ///< 10 log10(sum expected^2 / sum error^2); infinite when equal
  std::int64_t mismatched = 0;
  std::int64_t count = 0;
  std::int64_t worst_index = -1;  ///< flat, of the element farthest outside; -1 when all are equal
};

/// Compares `found` with the reference `expected`.
TensorComparison compare(const Tensor& found, const Tensor& expected,
                         const Tolerance& tolerance = {});

/// Of the elements of a tensor of numbers; strings and complex ones give the count alone.
struct Statistics {
  std::int64_t count = 0;
  double min = 0;  ///< over all but NaN; 0 when there are none
  double max = 0;
  double mean = 0;  ///< over the finite ones
  double std = 0;   ///< of the whole population
  std::int64_t nan_count = 0;
  std::int64_t inf_count = 0;
};

Statistics statistics_of(const Tensor& tensor);

}  // namespace ortool
