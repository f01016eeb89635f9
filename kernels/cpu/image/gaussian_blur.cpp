// Gaussian blur: rows, then columns.
#include "kernels/cpu/image/gaussian_blur.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace ortool::cpu {
namespace {

/// OpenCV's windows where no deviation is given.
const std::vector<float>* fixed_window(std::int64_t length) {
  static const std::vector<float> windows[] = {
      {1},
      {0.25F, 0.5F, 0.25F},
      {0.0625F, 0.25F, 0.375F, 0.25F, 0.0625F},
      {0.03125F, 0.109375F, 0.21875F, 0.28125F, 0.21875F, 0.109375F, 0.03125F}};
  return length <= 7 ? &windows[length / 2] : nullptr;
}

/// The place of a pixel beyond the border: mirrored at the border's pixel.
std::int64_t mirrored(std::int64_t at, std::int64_t size) {
  if (size == 1) return 0;
  const std::int64_t period = 2 * (size - 1);
  at = std::abs(at) % period;
  return at < size ? at : period - at;
}

/// `lines` lines of `size` points at a distance of `stride`, `stride` lines side by side.
void blur_lines(std::int64_t begin, std::int64_t end, std::int64_t size, std::int64_t stride,
                const std::vector<float>& window, const float* in, float* out) {
  const auto length = static_cast<std::int64_t>(window.size());
  for (std::int64_t point = begin; point < end; ++point) {
    const std::int64_t line = point / size;
    const std::int64_t at = point % size;
    const float* from = in + line * size * stride;
    float* to = out + point * stride;
    std::fill_n(to, stride, 0.0F);
    for (std::int64_t i = 0; i < length; ++i) {
      const float weight = window[static_cast<std::size_t>(i)];
      const float* pixel = from + mirrored(at + i - length / 2, size) * stride;
      for (std::int64_t c = 0; c < stride; ++c) to[c] += weight * pixel[c];
    }
  }
}

}  // namespace

std::vector<float> gaussian_window(std::int64_t length, double sigma) {
  if (sigma <= 0) {
    if (const std::vector<float>* window = fixed_window(length)) return *window;
    sigma = ((static_cast<double>(length) - 1) * 0.5 - 1) * 0.3 + 0.8;
  }
  std::vector<double> weights(static_cast<std::size_t>(length));
  double sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double x = static_cast<double>(i) - (static_cast<double>(length) - 1) * 0.5;
    weights[i] = std::exp(-x * x / (2 * sigma * sigma));
    sum += weights[i];
  }
  std::vector<float> window(weights.size());
  std::transform(weights.begin(), weights.end(), window.begin(),
                 [sum](double weight) { return static_cast<float>(weight / sum); });
  return window;
}

std::int64_t gaussian_window_length(double sigma) {
  return std::llrint(std::min(sigma, 1e6) * 8 + 1) | 1;
}

void gaussian_blur(const BlurSizes& sizes, const std::vector<float>& row_window,
                   const std::vector<float>& column_window, const float* in, float* between,
                   float* out, Workers& workers) {
  const std::int64_t rows = sizes.images * sizes.height;
  workers.parallel_for(rows, [&](std::int64_t row) {
    blur_lines(row * sizes.width, (row + 1) * sizes.width, sizes.width, sizes.channels, row_window,
               in, between);
  });
  workers.parallel_for(rows, [&](std::int64_t row) {
    blur_lines(row, row + 1, sizes.height, sizes.width * sizes.channels, column_window, between,
               out);
  });
}

}  // namespace ortool::cpu
