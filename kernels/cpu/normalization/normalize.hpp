// Normalizations in float32: layer, RMS, batch, instance, group, Lp and local response.
#pragma once

#include <cstdint>

#include "kernels/cpu/isa/cpu_features.hpp"
#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

// For all functions: float32, contiguous; `out` may be `in`; rows are not split, so results do not
// depend on the number of threads. mean = Σx / n and variance = Σ(x - mean)² / n from two passes,
// in float32 within blocks of 2048 elements and in float64 across them.

/// Rows of a layer normalization; the pointers after `in` may be null unless noted otherwise.
struct LayerNormalization {
  const float* in = nullptr;           ///< rows × size
  const float* skip = nullptr;         ///< rows × size, added before normalization
  const float* skip_bias = nullptr;    ///< size, added with skip
  const float* scale = nullptr;        ///< size; must be given
  const float* bias = nullptr;         ///< size
  float* out = nullptr;                ///< rows × size; must be given
  float* sum = nullptr;                ///< rows × size: in + skip (+ skip_bias)
  float* mean = nullptr;               ///< rows
  float* inverse_deviation = nullptr;  ///< rows
  std::int64_t rows = 0;
  std::int64_t size = 0;
  float epsilon = 1e-5F;
};

/// out = (x - mean) · d · scale + bias with d = 1 / √(variance + epsilon) and x = in + skip +
/// skip_bias.
void layer_normalization(const LayerNormalization& layer, Workers& workers, Isa isa);

/// out = x · d · scale with d = 1 / √(Σx² / n + epsilon); bias is added if given, mean is not used.
void rms_normalization(const LayerNormalization& layer, Workers& workers, Isa isa);

/// A tensor viewed as batch × channels × spatial.
struct ChannelSizes {
  std::int64_t batch = 0;
  std::int64_t channels = 0;
  std::int64_t spatial = 0;
};

/// One value per channel; see instance and group normalization for their `scale` and `bias`.
struct BatchNormalization {
  const float* scale;
  const float* bias;
  const float* mean;
  const float* variance;
  float epsilon;
};

/// out = x · a + b with a = scale / √(variance + epsilon) and b = bias - mean · a, both computed in
/// float64 and rounded to float32 once.
void batch_normalization(const float* in, float* out, ChannelSizes sizes,
                         const BatchNormalization& parameters, Workers& workers, Isa isa);

/// out = (x - mean) · (scale · d) + bias with the moments of each channel of each image; scale,
/// bias: channels.
void instance_normalization(const float* in, float* out, ChannelSizes sizes, const float* scale,
                            const float* bias, float epsilon, Workers& workers, Isa isa);

/// The same with the moments of each of `groups` groups of adjacent channels of each image; groups
/// divides channels.
void group_normalization(const float* in, float* out, ChannelSizes sizes, std::int64_t groups,
                         const float* scale, const float* bias, float epsilon, Workers& workers,
                         Isa isa);

/// T: float, double. out = x / norm along the axis of outer × axis × inner; p is 1 or 2, sums in
/// float64. A slice of zeros stays zero.
template <typename T>
void lp_normalization(const T* in, T* out, std::int64_t outer, std::int64_t axis,
                      std::int64_t inner, int p, Workers& workers);

struct LocalResponse {
  std::int64_t size = 1;  ///< channels of the window
  float alpha = 1e-4F;
  float beta = 0.75F;
  float bias = 1.0F;
};

/// out = x (bias + alpha / size · Σx²)^-beta, the sum over the channels from c - ⌊(size - 1) / 2⌋
/// to c + ⌈(size - 1) / 2⌉. `out` must not be `in`.
void local_response_normalization(const float* in, float* out, ChannelSizes sizes,
                                  LocalResponse response, Workers& workers, Isa isa);

}  // namespace ortool::cpu
