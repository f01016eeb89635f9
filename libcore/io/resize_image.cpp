// Separable image resizing with fixed-point weights, one pass for each direction.
#include "libcore/io/resize_image.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"

namespace ortool {
namespace {

/// 8 bits for the sample, 2 for rounding, the rest of 32 for the weight.
constexpr int weight_bits = 32 - 8 - 2;

/// The input pixels of which one output pixel is the weighted mean.
struct Window {
  std::int64_t first = 0;
  std::vector<std::int32_t> weights;
};

double triangle(double x) {
  return std::fabs(x) < 1 ? 1 - std::fabs(x) : 0;
}

/// Keys' cubic convolution with a = -0.5.
double cubic(double x) {
  constexpr double a = -0.5;
  x = std::fabs(x);
  if (x < 1) return ((a + 2.0) * x - (a + 3.0)) * x * x + 1;
  return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : 0;
}

double sinc(double x) {
  constexpr double pi = 3.141592653589793238;
  return x == 0 ? 1 : std::sin(x * pi) / (x * pi);
}

double lanczos(double x) {
  return -3 <= x && x < 3 ? sinc(x) * sinc(x / 3) : 0;
}

/// The filter's function and its radius.
std::pair<double (*)(double), double> function_of(ResizeFilter filter) {
  if (filter == ResizeFilter::bicubic) return {cubic, 2};
  if (filter == ResizeFilter::lanczos) return {lanczos, 3};
  return {triangle, 1};
}

std::int32_t fixed_point(double weight) {
  return static_cast<std::int32_t>(weight * (1 << weight_bits) + (weight < 0 ? -0.5 : 0.5));
}

std::vector<Window> antialiased_windows(std::int64_t in_size, std::int64_t out_size,
                                        ResizeFilter filter) {
  const auto [weight_at, own_radius] = function_of(filter);
  const double step = static_cast<double>(in_size) / static_cast<double>(out_size);
  const double stretch = std::max(step, 1.0);
  const double radius = own_radius * stretch;
  std::vector<Window> windows(static_cast<std::size_t>(out_size));
  std::vector<double> weights;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const double center = (static_cast<double>(i) + 0.5) * step;
    const auto first = std::max<std::int64_t>(static_cast<std::int64_t>(center - radius + 0.5), 0);
    const auto last = std::min(static_cast<std::int64_t>(center + radius + 0.5), in_size);
    weights.clear();
    double sum = 0;
    for (std::int64_t x = first; x < last; ++x) {
      weights.push_back(weight_at((static_cast<double>(x) - center + 0.5) * (1.0 / stretch)));
      sum += weights.back();
    }
    windows[i].first = first;
    for (const double weight : weights) {
      windows[i].weights.push_back(fixed_point(sum != 0 ? weight / sum : weight));
    }
  }
  return windows;
}

/// The pixel, or the two, around each center.
std::vector<Window> sampled_windows(std::int64_t in_size, std::int64_t out_size,
                                    ResizeFilter filter) {
  const double step = static_cast<double>(in_size) / static_cast<double>(out_size);
  std::vector<Window> windows(static_cast<std::size_t>(out_size));
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const double center = (static_cast<double>(i) + 0.5) * step;
    if (filter == ResizeFilter::nearest) {
      windows[i] = {std::min(static_cast<std::int64_t>(center), in_size - 1), {fixed_point(1)}};
      continue;
    }
    const double left = std::clamp(center - 0.5, 0.0, static_cast<double>(in_size - 1));
    const auto first = static_cast<std::int64_t>(left);
    const double share = left - static_cast<double>(first);
    windows[i] = {first, {fixed_point(1 - share)}};
    if (share > 0) windows[i].weights.push_back(fixed_point(share));
  }
  return windows;
}

std::vector<Window> make_windows(std::int64_t in_size, std::int64_t out_size, ResizeFilter filter) {
  const bool is_sampled = filter == ResizeFilter::nearest || filter == ResizeFilter::linear;
  return is_sampled ? sampled_windows(in_size, out_size, filter)
                    : antialiased_windows(in_size, out_size, filter);
}

std::uint8_t to_sample(std::int64_t sum) {
  return static_cast<std::uint8_t>(std::clamp<std::int64_t>(sum >> weight_bits, 0, 255));
}

constexpr std::int64_t half = std::int64_t{1} << (weight_bits - 1);

Image resize_columns(const Image& image, std::int64_t width, ResizeFilter filter) {
  const std::vector<Window> windows = make_windows(image.width, width, filter);
  Image result = make_image_like(image, width, image.height, image.channels);
  std::uint8_t* out = result.pixels.data();
  for (std::int64_t y = 0; y < image.height; ++y) {
    const std::uint8_t* row = image.pixels.data() + y * image.width * image.channels;
    for (const Window& window : windows) {
      for (std::int64_t channel = 0; channel < image.channels; ++channel) {
        const std::uint8_t* in = row + window.first * image.channels + channel;
        std::int64_t sum = half;
        for (const std::int32_t weight : window.weights) {
          sum += std::int64_t{weight} * *in;
          in += image.channels;
        }
        *out++ = to_sample(sum);
      }
    }
  }
  return result;
}

Image resize_rows(const Image& image, std::int64_t height, ResizeFilter filter) {
  const std::vector<Window> windows = make_windows(image.height, height, filter);
  const std::int64_t row_size = image.width * image.channels;
  Image result = make_image_like(image, image.width, height, image.channels);
  std::vector<std::int64_t> sums(static_cast<std::size_t>(row_size));
  std::uint8_t* out = result.pixels.data();
  for (const Window& window : windows) {
    std::fill(sums.begin(), sums.end(), half);
    const std::uint8_t* in = image.pixels.data() + window.first * row_size;
    for (const std::int32_t weight : window.weights) {
      for (std::int64_t& sum : sums) sum += std::int64_t{weight} * *in++;
    }
    for (const std::int64_t sum : sums) *out++ = to_sample(sum);
  }
  return result;
}

}  // namespace

std::int64_t half_of(std::int64_t rest) {
  return rest % 2 == 0 ? rest / 2 : (rest / 2 % 2 == 0 ? rest / 2 : rest / 2 + 1);
}

Image resize_image(const Image& image, std::int64_t width, std::int64_t height,
                   ResizeFilter filter) {
  if (width <= 0 || height <= 0 || width > max_image_pixels || height > max_image_pixels ||
      width * height > max_image_pixels || width * image.height > max_image_pixels) {
    throw Error(
        ErrorCode::invalid,
        format("an image of {} x {} pixels cannot be resized to {} x {} (at most {} pixels)",
               image.width, image.height, width, height, max_image_pixels),
        "give a smaller size");
  }
  if (width == image.width)
    return height == image.height ? image : resize_rows(image, height, filter);
  const Image narrow = resize_columns(image, width, filter);
  return height == image.height ? narrow : resize_rows(narrow, height, filter);
}

Image crop_center(const Image& image, std::int64_t width, std::int64_t height) {
  if (width > image.width || height > image.height || width <= 0 || height <= 0) {
    throw Error(ErrorCode::invalid,
                format("an image of {} x {} pixels cannot be cropped to {} x {}", image.width,
                       image.height, width, height),
                "resize it first, as in resize:256,crop:224");
  }
  Image result = make_image_like(image, width, height, image.channels);
  const std::int64_t left = half_of(image.width - width);
  const std::int64_t top = half_of(image.height - height);
  const auto row_bytes = static_cast<std::size_t>(width * image.channels);
  for (std::int64_t y = 0; y < height; ++y) {
    std::memcpy(result.pixels.data() + static_cast<std::size_t>(y) * row_bytes,
                image.pixels.data() + ((top + y) * image.width + left) * image.channels, row_bytes);
  }
  return result;
}

}  // namespace ortool
