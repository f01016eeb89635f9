// Normalizations in float64, of rows, groups of channels, and single channels.
#pragma once

#include <cstdint>

#include "kernels/cpu/normalization/normalize.hpp"
#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

struct DoubleRows {
  std::int64_t rows = 0;
  std::int64_t size = 0;
  double epsilon = 0;
  bool is_centered = true;  ///< false: the mean counts as 0
};

/// out = (x - mean) · d with d = 1 / √(Σ(x - mean)² / n + epsilon) for each row, with plain sums in
/// two passes; `out` may be `in`. Means and factors d are written if requested. Rows are not split,
/// so results do not depend on the number of threads.
void normalize_rows(const double* in, double* out, const DoubleRows& rows, float* means,
                    float* factors, Workers& workers);

/// The same for each of `groups` groups of channels of each image, then scaled and shifted: one
/// value per channel, or one per group with `scales_groups`.
void normalize_groups(const double* in, double* out, ChannelSizes sizes, std::int64_t groups,
                      const double* scale, const double* bias, bool scales_groups, double epsilon,
                      Workers& workers);

/// Σx / n and Σ(x - mean)² / n of each channel over all images; NaN if there are no elements.
void channel_moments(const double* in, ChannelSizes sizes, double* means, double* variances,
                     Workers& workers);

/// One value per channel.
struct DoubleChannels {
  const double* scale;
  const double* bias;
  const double* mean;
  const double* variance;
  double epsilon;
};

/// out = (x - mean) · scale / √(variance + epsilon) + bias; `out` may be `in`.
void batch_normalization(const double* in, double* out, ChannelSizes sizes,
                         const DoubleChannels& parameters, Workers& workers);

/// out = x (bias + alpha / size · Σx²)^-beta over the channels defined in
/// normalization/normalize.hpp; `out` must not be `in`.
void local_response_normalization(const double* in, double* out, ChannelSizes sizes,
                                  LocalResponse response, Workers& workers);

}  // namespace ortool::cpu
