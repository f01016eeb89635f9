// Image fitting: the order of resizing, cropping and letterboxing.
#include "libcore/io/fit_image.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"

namespace ortool {
namespace {

/// The size of which a center crop to `side` keeps that share.
std::int64_t size_before_crop(std::int64_t side, double share) {
  constexpr double rounding = 1e-6;
  return static_cast<std::int64_t>(std::floor(static_cast<double>(side) / share + rounding));
}

/// The fit of the smallest image of the same aspect ratio that covers width x height.
ImageFit covering_fit(std::int64_t image_width, std::int64_t image_height, std::int64_t width,
                      std::int64_t height) {
  if (width * image_height >= height * image_width) {
    height = width * image_height / image_width;
  } else {
    width = height * image_width / image_height;
  }
  return {width, height, width, height, 0, 0};
}

ImageFit exact_fit(std::int64_t width, std::int64_t height) {
  return {width, height, width, height, 0, 0};
}

ImageFit cropped_fit(const ImageFit& resized, std::int64_t width, std::int64_t height) {
  return {resized.resized_width,
          resized.resized_height,
          width,
          height,
          -half_of(resized.resized_width - width),
          -half_of(resized.resized_height - height)};
}

/// The arithmetic of Ultralytics' LetterBox, whose margins are rounded down on top and left.
ImageFit boxed_fit(std::int64_t image_width, std::int64_t image_height, std::int64_t width,
                   std::int64_t height) {
  const double ratio = std::min(static_cast<double>(width) / static_cast<double>(image_width),
                                static_cast<double>(height) / static_cast<double>(image_height));
  const auto scaled = [ratio](std::int64_t side, std::int64_t most) {
    const double size = std::nearbyint(static_cast<double>(side) * ratio);
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(size), 1, most);
  };
  const auto margin = [](std::int64_t rest) {
    return static_cast<std::int64_t>(std::nearbyint(static_cast<double>(rest) / 2 - 0.1));
  };
  const std::int64_t inner_width = scaled(image_width, width);
  const std::int64_t inner_height = scaled(image_height, height);
  return {inner_width,
          inner_height,
          width,
          height,
          margin(width - inner_width),
          margin(height - inner_height)};
}

/// The image in a box of `fill`.
Image letterbox(const Image& inner, const ImageFit& fit, std::uint8_t fill) {
  Image result = make_image_like(inner, fit.width, fit.height, inner.channels);
  std::fill(result.pixels.begin(), result.pixels.end(), fill);
  const auto row_bytes = static_cast<std::size_t>(inner.width * inner.channels);
  for (std::int64_t y = 0; y < inner.height; ++y) {
    std::memcpy(result.pixels.data() + ((fit.top + y) * fit.width + fit.left) * inner.channels,
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

ImageFit plan_fit(std::int64_t image_width, std::int64_t image_height, const ImageOptions& options,
                  std::int64_t width, std::int64_t height) {
  if (width <= 0 && options.open_width > 0) width = options.open_width;
  if (height <= 0 && options.open_height > 0) height = options.open_height;
  const bool is_sized = options.resize_width > 0;
  if (options.letterbox) {
    const std::int64_t boxed_width = is_sized ? options.resize_width : width;
    const std::int64_t boxed_height = is_sized ? options.resize_height : height;
    check_known(boxed_width, boxed_height, "letterbox");
    return boxed_fit(image_width, image_height, boxed_width, boxed_height);
  }
  if (options.crop_share > 0) {
    check_known(width, height, "crop_pct");
    return cropped_fit(
        covering_fit(image_width, image_height, size_before_crop(width, options.crop_share),
                     size_before_crop(height, options.crop_share)),
        width, height);
  }
  const std::int64_t side = options.resize_shorter_side;
  const bool is_cropped = options.crop_width > 0;
  const ImageFit resized =
      side > 0     ? covering_fit(image_width, image_height, side, side)
      : is_sized   ? exact_fit(options.resize_width, options.resize_height)
      : is_cropped ? exact_fit(image_width, image_height)
                   : exact_fit(width > 0 ? width : image_width, height > 0 ? height : image_height);
  return is_cropped ? cropped_fit(resized, options.crop_width, options.crop_height) : resized;
}

Image fit_image(const Image& image, const ImageOptions& options, std::int64_t width,
                std::int64_t height) {
  const ImageFit fit = plan_fit(image.width, image.height, options, width, height);
  Image resized = resize_image(image, fit.resized_width, fit.resized_height, options.filter);
  if (options.letterbox) return letterbox(resized, fit, *options.letterbox);
  const bool is_cropped = options.crop_share > 0 || options.crop_width > 0;
  return is_cropped ? crop_center(resized, fit.width, fit.height) : resized;
}

}  // namespace ortool
