// Feature transforms of ai.onnx.ml: plain loops along rows.
#include "kernels/cpu/ml/feature_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace ortool::cpu {
namespace {

std::int64_t feature_grain(std::int64_t features) {
  return std::max<std::int64_t>(1, 16384 / std::max<std::int64_t>(1, features));
}

template <typename T>
bool is_missing_number(T value) {
  if constexpr (std::is_floating_point_v<T>) return std::isnan(value);
  return false;
}

template <typename T>
float divisor_of(RowNorm norm, const T* x, std::int64_t features) {
  if (norm == RowNorm::largest) {
    float most = std::numeric_limits<float>::lowest();
    for (std::int64_t i = 0; i < features; ++i) most = std::max(most, static_cast<float>(x[i]));
    return most;
  }
  double sum = 0;
  for (std::int64_t i = 0; i < features; ++i) {
    const auto value = static_cast<double>(x[i]);
    sum += norm == RowNorm::l1 ? std::abs(value) : value * value;
  }
  return static_cast<float>(norm == RowNorm::l1 ? sum : std::sqrt(sum));
}

}  // namespace

template <typename T>
void scale_features(const T* x, const FeatureRows& sizes, const float* offset, const float* scale,
                    float* out, Workers& workers) {
  const std::int64_t features = sizes.features;
  const std::int64_t step = sizes.value_count == 1 ? 0 : 1;
  workers.parallel_ranges(sizes.rows, feature_grain(features), [&](auto begin, auto end) {
    for (std::int64_t row = begin; row < end; ++row) {
      for (std::int64_t i = 0; i < features; ++i) {
        const auto value = static_cast<float>(x[row * features + i]);
        out[row * features + i] = (value - offset[i * step]) * scale[i * step];
      }
    }
  });
}

template <typename T>
void normalize_features(RowNorm norm, const T* x, const FeatureRows& sizes, float* out,
                        Workers& workers) {
  const std::int64_t features = sizes.features;
  workers.parallel_ranges(sizes.rows, feature_grain(features), [&](auto begin, auto end) {
    for (std::int64_t row = begin; row < end; ++row) {
      const T* from = x + row * features;
      const float found = divisor_of(norm, from, features);
      const float divisor = found == 0 ? 1 : found;
      for (std::int64_t i = 0; i < features; ++i)
        out[row * features + i] = static_cast<float>(from[i]) / divisor;
    }
  });
}

template <typename T>
void impute_features(const T* x, const FeatureRows& sizes, T replaced, const T* values, T* out,
                     Workers& workers) {
  const std::int64_t features = sizes.features;
  const std::int64_t step = sizes.value_count == 1 ? 0 : 1;
  const bool replaces_nan = is_missing_number(replaced);
  workers.parallel_ranges(sizes.rows, feature_grain(features), [&](auto begin, auto end) {
    for (std::int64_t row = begin; row < end; ++row) {
      for (std::int64_t i = 0; i < features; ++i) {
        const T value = x[row * features + i];
        const bool is_missing = replaces_nan ? is_missing_number(value) : value == replaced;
        out[row * features + i] = is_missing ? values[i * step] : value;
      }
    }
  });
}

template <typename T>
void binarize(const T* x, std::int64_t count, float threshold, T* out, Workers& workers) {
  workers.parallel_ranges(count, 16384, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      out[i] = static_cast<double>(x[i]) > static_cast<double>(threshold) ? T(1) : T(0);
  });
}

template <typename T>
void copy_features(const T* x, std::int64_t rows, std::int64_t features, std::int64_t width,
                   float* out, std::int64_t out_stride, Workers& workers) {
  const std::int64_t copied = std::min(features, width);
  workers.parallel_ranges(rows, feature_grain(width), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      float* to = out + row * out_stride;
      for (std::int64_t i = 0; i < copied; ++i) to[i] = static_cast<float>(x[row * features + i]);
      std::fill(to + copied, to + width, 0.0F);
    }
  });
}

#define ORTOOL_INSTANTIATE(T)                                                                    \
  template void scale_features(const T*, const FeatureRows&, const float*, const float*, float*, \
                               Workers&);                                                        \
  template void normalize_features(RowNorm, const T*, const FeatureRows&, float*, Workers&);     \
  template void impute_features(const T*, const FeatureRows&, T, const T*, T*, Workers&);        \
  template void binarize(const T*, std::int64_t, float, T*, Workers&);                           \
  template void copy_features(const T*, std::int64_t, std::int64_t, std::int64_t, float*,        \
                              std::int64_t, Workers&);
ORTOOL_INSTANTIATE(float)
ORTOOL_INSTANTIATE(double)
ORTOOL_INSTANTIATE(std::int32_t)
ORTOOL_INSTANTIATE(std::int64_t)
#undef ORTOOL_INSTANTIATE

}  // namespace ortool::cpu
