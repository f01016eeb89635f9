// Convolution in float64 (NCHW): accumulates one row of outputs at a time, tap by tap.
#include "kernels/cpu/conv/conv_f64.hpp"

#include <algorithm>

#include "kernels/cpu/conv/f32_nchw/algorithms.hpp"

namespace ortool::cpu {
namespace {

/// The input coordinate that output `out` reads at kernel position `step`, or -1 outside the image.
std::int64_t input_at(const ConvSizes& sizes, int axis, std::int64_t out, std::int64_t step) {
  const std::int64_t place =
      out * sizes.stride[axis] - sizes.pad[axis] + step * sizes.dilation[axis];
  return place < sizes.in[axis] ? std::max<std::int64_t>(place, -1) : -1;
}

/// Adds factor * in, read from `shift` on with the stride, to a row of outputs.
void add_row(const ConvSizes& sizes, const double* in, double factor, std::int64_t shift,
             double* out) {
  const std::int64_t stride = sizes.stride[2];
  const std::int64_t begin = shift >= 0 ? 0 : (-shift + stride - 1) / stride;
  const std::int64_t room = sizes.in[2] - shift;
  const std::int64_t end = room <= 0 ? 0 : std::min(sizes.out[2], (room + stride - 1) / stride);
  if (stride == 1) {
    for (std::int64_t i = begin; i < end; ++i) out[i] += factor * in[i + shift];
    return;
  }
  for (std::int64_t i = begin; i < end; ++i) out[i] += factor * in[i * stride + shift];
}

}  // namespace

void conv_f64(const ConvSizes& sizes, const double* x, const double* weights, const double* bias,
              double* y, Workers& workers) {
  const std::int64_t depth = sizes.channels_in / sizes.groups;
  const std::int64_t maps = sizes.channels_out / sizes.groups;
  const std::int64_t positions = volume(sizes.kernel);
  const std::int64_t rows = sizes.out[0] * sizes.out[1];
  const std::int64_t work = std::max<std::int64_t>(1, sizes.out[2] * positions * depth);
  const std::int64_t grain = std::max<std::int64_t>(1, 32768 / work);
  workers.parallel_ranges(
      sizes.batch * sizes.channels_out * rows, grain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row) {
          const std::int64_t map = row / rows % sizes.channels_out;
          const std::int64_t image = row / rows / sizes.channels_out;
          const std::int64_t channel = image * sizes.channels_in + map / maps * depth;
          double* out = y + row * sizes.out[2];
          std::fill(out, out + sizes.out[2], bias == nullptr ? 0.0 : bias[map]);
          for (std::int64_t i = 0; i < depth * positions; ++i) {
            const std::int64_t position = i % positions;
            const std::int64_t kw = position % sizes.kernel[2];
            const std::int64_t kh = position / sizes.kernel[2] % sizes.kernel[1];
            const std::int64_t kd = position / sizes.kernel[2] / sizes.kernel[1];
            const std::int64_t id = input_at(sizes, 0, row % rows / sizes.out[1], kd);
            const std::int64_t ih = input_at(sizes, 1, row % sizes.out[1], kh);
            if (id < 0 || ih < 0) continue;
            const double* in = x + (channel + i / positions) * volume(sizes.in) +
                               (id * sizes.in[1] + ih) * sizes.in[2];
            add_row(sizes, in, weights[map * depth * positions + i],
                    kw * sizes.dilation[2] - sizes.pad[2], out);
          }
        }
      });
}

}  // namespace ortool::cpu
