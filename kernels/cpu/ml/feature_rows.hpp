// Feature transforms of ai.onnx.ml (Scaler, Normalizer, Imputer, Binarizer, FeatureVectorizer).
#pragma once

#include <cstdint>

#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

// T: float, double, int32_t, int64_t. Rows are independent of each other.

/// Rows of features; `value_count` parameters are given, one per feature or 1 for all.
struct FeatureRows {
  std::int64_t rows = 0;
  std::int64_t features = 0;
  std::int64_t value_count = 1;
};

/// out = (x - offset) scale in float32.
template <typename T>
void scale_features(const T* x, const FeatureRows& sizes, const float* offset, const float* scale,
                    float* out, Workers& workers);

enum class RowNorm { largest, l1, l2 };

/// Divides each row by its largest element, the sum of its magnitudes, or the square root of the
/// sum of its squares, summed in double; a row with divisor 0 is unchanged. NaN is never the
/// largest.
template <typename T>
void normalize_features(RowNorm norm, const T* x, const FeatureRows& sizes, float* out,
                        Workers& workers);

/// out = x, except that elements equal to `replaced` (any NaN, if that is NaN) become the value
/// given for their feature. `out` may be `x`.
template <typename T>
void impute_features(const T* x, const FeatureRows& sizes, T replaced, const T* values, T* out,
                     Workers& workers);

/// out = 1 if x is above the threshold, else 0. `out` may be `x`.
template <typename T>
void binarize(const T* x, std::int64_t count, float threshold, T* out, Workers& workers);

/// out[row, 0..width) = x[row, 0..features) as float32, truncated or zero-padded; rows of out are
/// `out_stride` apart.
template <typename T>
void copy_features(const T* x, std::int64_t rows, std::int64_t features, std::int64_t width,
                   float* out, std::int64_t out_stride, Workers& workers);

}  // namespace ortool::cpu
