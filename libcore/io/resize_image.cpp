// Separable image resizing with fixed-point weights, one pass for each direction.
#include "libcore/io/resize_image.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

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

std::vector<Window> make_windows(std::int64_t in_size, std::int64_t out_size) {
  const double step = static_cast<double>(in_size) / static_cast<double>(out_size);
  const double radius = std::max(step, 1.0);
  std::vector<Window> windows(static_cast<std::size_t>(out_size));
  std::vector<double> weights;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const double center = (static_cast<double>(i) + 0.5) * step;
    const auto first = std::max<std::int64_t>(static_cast<std::int64_t>(center - radius + 0.5), 0);
    const auto last = std::min(static_cast<std::int64_t>(center + radius + 0.5), in_size);
    weights.clear();
    double sum = 0;
    for (std::int64_t x = first; x < last; ++x) {
      const double distance = std::fabs((static_cast<double>(x) - center + 0.5) * (1.0 / radius));
      weights.push_back(distance < 1 ? 1 - distance : 0);
      sum += weights.back();
    }
    windows[i].first = first;
    for (const double weight : weights) {
      const double normalized = sum != 0 ? weight / sum : weight;
      windows[i].weights.push_back(
          static_cast<std::int32_t>(normalized * (1 << weight_bits) + 0.5));
    }
  }
  return windows;
}

std::uint8_t to_sample(std::int64_t sum) {
  return static_cast<std::uint8_t>(std::clamp<std::int64_t>(sum >> weight_bits, 0, 255));
}

constexpr std::int64_t half = std::int64_t{1} << (weight_bits - 1);

Image resize_columns(const Image& image, std::int64_t width) {
  const std::vector<Window> windows = make_windows(image.width, width);
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

Image resize_rows(const Image& image, std::int64_t height) {
  const std::vector<Window> windows = make_windows(image.height, height);
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

/// Half of `rest`, with ties rounded to even.
std::int64_t half_of(std::int64_t rest) {
  return rest % 2 == 0 ? rest / 2 : (rest / 2 % 2 == 0 ? rest / 2 : rest / 2 + 1);
}

}  // namespace

Image resize_bilinear(const Image& image, std::int64_t width, std::int64_t height) {
  if (width <= 0 || height <= 0 || width > max_image_pixels || height > max_image_pixels ||
      width * height > max_image_pixels || width * image.height > max_image_pixels) {
    throw Error(
        ErrorCode::invalid,
        format("an image of {} x {} pixels cannot be resized to {} x {} (at most {} pixels)",
               image.width, image.height, width, height, max_image_pixels),
        "give a smaller size");
  }
  if (width == image.width) return height == image.height ? image : resize_rows(image, height);
  const Image narrow = resize_columns(image, width);
  return height == image.height ? narrow : resize_rows(narrow, height);
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
