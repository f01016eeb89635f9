// Image fitting: the order of resizing, cropping and letterboxing.
#include "libcore/io/fit_image.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"

namespace ortool {
namespace {

/// Resizes to the smallest image of the same aspect ratio that covers width x height.
Image resize_to_cover(const Image& image, std::int64_t width, std::int64_t height,
                      ResizeFilter filter) {
  const bool is_width_exact = width * image.height >= height * image.width;
  return is_width_exact ? resize_image(image, width, width * image.height / image.width, filter)
                        : resize_image(image, height * image.width / image.height, height, filter);
}

/// The arithmetic of Ultralytics' LetterBox, whose margins are rounded down on top and left.
Image letterbox(const Image& image, const ImageOptions& options, std::int64_t width,
                std::int64_t height) {
  const double ratio = std::min(static_cast<double>(width) / static_cast<double>(image.width),
                                static_cast<double>(height) / static_cast<double>(image.height));
  const auto scaled = [ratio](std::int64_t side, std::int64_t most) {
    const double size = std::nearbyint(static_cast<double>(side) * ratio);
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(size), 1, most);
  };
  const Image inner =
      resize_image(image, scaled(image.width, width), scaled(image.height, height), options.filter);
  const auto margin = [](std::int64_t rest) {
    return static_cast<std::int64_t>(std::nearbyint(static_cast<double>(rest) / 2 - 0.1));
  };
  Image result = make_image_like(image, width, height, image.channels);
  std::fill(result.pixels.begin(), result.pixels.end(), *options.letterbox);
  const std::int64_t left = margin(width - inner.width);
  const std::int64_t top = margin(height - inner.height);
  const auto row_bytes = static_cast<std::size_t>(inner.width * inner.channels);
  for (std::int64_t y = 0; y < inner.height; ++y) {
    std::memcpy(result.pixels.data() + ((top + y) * width + left) * inner.channels,
                inner.pixels.data() + static_cast<std::size_t>(y) * row_bytes, row_bytes);
  }
  return result;
}

void check_known(std::int64_t width, std::int64_t height, std::string_view option) {
  if (width > 0 && height > 0) return;
  throw Error(ErrorCode::invalid,
              format("image option {} fits images to the input's size, which is open", option),
              "add its size, as in size:224 or size:640x480 (width x height)");
}

}  // namespace

std::int64_t size_before_crop(std::int64_t side, double share) {
  constexpr double rounding = 1e-6;
  return static_cast<std::int64_t>(std::floor(static_cast<double>(side) / share + rounding));
}

ImageOptions resolve_sizes(const ImageOptions& options, std::int64_t& width, std::int64_t& height) {
  if (width <= 0 && options.open_width > 0) width = options.open_width;
  if (height <= 0 && options.open_height > 0) height = options.open_height;
  ImageOptions result = options;
  if (options.crop_share == 0 || width <= 0 || width != height) return result;
  result.resize_shorter_side = size_before_crop(width, options.crop_share);
  result.crop_width = width;
  result.crop_height = height;
  result.crop_share = 0;
  return result;
}

Image fit_image(const Image& image, const ImageOptions& options, std::int64_t width,
                std::int64_t height) {
  if (width <= 0 && options.open_width > 0) width = options.open_width;
  if (height <= 0 && options.open_height > 0) height = options.open_height;
  if (options.letterbox) {
    const bool is_sized = options.resize_width > 0;
    const std::int64_t boxed_width = is_sized ? options.resize_width : width;
    const std::int64_t boxed_height = is_sized ? options.resize_height : height;
    check_known(boxed_width, boxed_height, "letterbox");
    return letterbox(image, options, boxed_width, boxed_height);
  }
  if (options.crop_share > 0) {
    check_known(width, height, "crop_pct");
    const Image covering =
        resize_to_cover(image, size_before_crop(width, options.crop_share),
                        size_before_crop(height, options.crop_share), options.filter);
    return crop_center(covering, width, height);
  }
  Image result = image;
  const std::int64_t side = options.resize_shorter_side;
  if (side > 0) {
    result = resize_to_cover(result, side, side, options.filter);
  } else if (options.resize_width > 0) {
    result = resize_image(result, options.resize_width, options.resize_height, options.filter);
  }
  if (options.crop_width > 0) return crop_center(result, options.crop_width, options.crop_height);
  if (side > 0 || options.resize_width > 0) return result;
  return resize_image(result, width > 0 ? width : result.width, height > 0 ? height : result.height,
                      options.filter);
}

}  // namespace ortool
