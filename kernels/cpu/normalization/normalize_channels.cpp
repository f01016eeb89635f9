// Batch, instance and group normalization: one factor and one bias per channel.
#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/cpu/normalization/normalize.hpp"
#include "kernels/cpu/normalization/normalize_rows.hpp"
#include "kernels/cpu/parallel/grain_size.hpp"
#include "libcore/base/error.hpp"

namespace ortool::cpu {
namespace {

/// Rows per task.
std::int64_t grain_of(std::int64_t rows, std::int64_t elements) {
  constexpr double nanoseconds_an_element = 0.2;
  return grain_size(rows, nanoseconds_an_element * static_cast<double>(rows * elements));
}

}  // namespace

void batch_normalization(const float* in, float* out, ChannelSizes sizes,
                         const BatchNormalization& parameters, Workers& workers, Isa isa) {
  const std::size_t channels = static_cast<std::size_t>(sizes.channels);
  std::vector<float> factor(channels);
  std::vector<float> bias(channels);
  for (std::size_t c = 0; c < channels; ++c) {
    const double a = static_cast<double>(parameters.scale[c]) /
                     std::sqrt(static_cast<double>(parameters.variance[c]) +
                               static_cast<double>(parameters.epsilon));
    factor[c] = static_cast<float>(a);
    bias[c] = static_cast<float>(static_cast<double>(parameters.bias[c]) -
                                 static_cast<double>(parameters.mean[c]) * a);
  }
  const NormalizeFunctions& functions = normalize_functions(isa);
  if (sizes.spatial == 1) {
    workers.parallel_ranges(sizes.batch, grain_of(sizes.batch, sizes.channels),
                            [&](std::int64_t begin, std::int64_t end) {
                              for (std::int64_t row = begin; row < end; ++row) {
                                const std::int64_t first = row * sizes.channels;
                                functions.scaled_row(in + first, out + first, sizes.channels, 0.0F,
                                                     1.0F, factor.data(), bias.data());
                              }
                            });
    return;
  }
  workers.parallel_ranges(
      sizes.batch * sizes.channels, grain_of(sizes.batch * sizes.channels, sizes.spatial),
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row) {
          const std::size_t c = static_cast<std::size_t>(row % sizes.channels);
          functions.affine_row(in + row * sizes.spatial, out + row * sizes.spatial, sizes.spatial,
                               0.0F, factor[c], bias[c]);
        }
      });
}

void instance_normalization(const float* in, float* out, ChannelSizes sizes, const float* scale,
                            const float* bias, float epsilon, Workers& workers, Isa isa) {
  group_normalization(in, out, sizes, sizes.channels, scale, bias, epsilon, workers, isa);
}

void group_normalization(const float* in, float* out, ChannelSizes sizes, std::int64_t groups,
                         const float* scale, const float* bias, float epsilon, Workers& workers,
                         Isa isa) {
  if (sizes.batch * sizes.channels * sizes.spatial == 0) return;
  ORTOOL_CHECK(groups > 0 && sizes.channels % groups == 0);
  const NormalizeFunctions& functions = normalize_functions(isa);
  const std::int64_t channels = sizes.channels / groups;
  const std::int64_t elements = channels * sizes.spatial;
  workers.parallel_ranges(sizes.batch * groups, grain_of(sizes.batch * groups, elements),
                          [&](std::int64_t begin, std::int64_t end) {
                            for (std::int64_t group = begin; group < end; ++group) {
                              const float* from = in + group * elements;
                              float* to = out + group * elements;
                              const Moments moments = functions.moments(from, elements);
                              const float deviation = 1.0F / std::sqrt(moments.variance + epsilon);
                              for (std::int64_t c = 0; c < channels; ++c) {
                                const std::int64_t channel = group % groups * channels + c;
                                functions.affine_row(
                                    from + c * sizes.spatial, to + c * sizes.spatial, sizes.spatial,
                                    moments.mean, scale[channel] * deviation, bias[channel]);
                              }
                            }
                          });
}

}  // namespace ortool::cpu
