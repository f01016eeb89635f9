// Image placement: the sizes and margins that fitting an image to a model input gives.
#include "libcore/dataset/metrics/image_placement.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/io/fit_image.hpp"

namespace ortool {
namespace {

double ratio(std::int64_t to, std::int64_t from) {
  return static_cast<double>(to) / static_cast<double>(from);
}

/// The first row or column that torchvision's CenterCrop keeps.
double cropped(std::int64_t size, std::int64_t crop) {
  return std::nearbyint(static_cast<double>(size - crop) / 2);
}

/// The smallest size of the same aspect ratio that covers `least`.
ImageSize covering_size(const ImageSize& size, const ImageSize& least) {
  if (least.width * size.height >= least.height * size.width)
    return {least.width, least.width * size.height / size.width};
  return {least.height * size.width / size.height, least.height};
}

/// The size after the recipe's resizing, before its crop.
ImageSize resized_size(const ImageSize& size, const ImageSize& input_size,
                       const ImageOptions& options) {
  const std::int64_t side = options.resize_shorter_side;
  if (side > 0) return covering_size(size, {side, side});
  if (options.resize_width > 0) return {options.resize_width, options.resize_height};
  return options.crop_width > 0 ? size : input_size;
}

/// A center crop of an input that is not square, of an image that covers input_size / share.
ImagePlacement place_crop_share(const ImageSize& size, const ImageSize& input_size, double share) {
  const ImageSize resized = covering_size(size, {size_before_crop(input_size.width, share),
                                                 size_before_crop(input_size.height, share)});
  return {ratio(resized.width, size.width), ratio(resized.height, size.height),
          -cropped(resized.width, input_size.width), -cropped(resized.height, input_size.height)};
}

}  // namespace

ImagePlacement place_letterbox(const ImageSize& size, const ImageSize& input_size) {
  const double scale =
      std::min(ratio(input_size.width, size.width), ratio(input_size.height, size.height));
  const auto scaled = [scale](std::int64_t side, std::int64_t most) {
    const double rounded = std::nearbyint(static_cast<double>(side) * scale);
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(rounded), 1, most);
  };
  const auto margin = [](std::int64_t rest) {
    return std::nearbyint(static_cast<double>(rest) / 2 - 0.1);
  };
  const ImageSize inner = {scaled(size.width, input_size.width),
                           scaled(size.height, input_size.height)};
  return {ratio(inner.width, size.width), ratio(inner.height, size.height),
          margin(input_size.width - inner.width), margin(input_size.height - inner.height)};
}

ImagePlacement place_image(const ImageSize& size, const ImageSize& input_size,
                           const ImageOptions* options) {
  if (options == nullptr)
    return {ratio(input_size.width, size.width), ratio(input_size.height, size.height), 0, 0};
  if (options->letterbox) return place_letterbox(size, input_size);
  ImageSize open = input_size;
  const ImageOptions sized = resolve_sizes(*options, open.width, open.height);
  if (sized.crop_share > 0) return place_crop_share(size, input_size, sized.crop_share);
  const ImageSize resized = resized_size(size, input_size, sized);
  ImagePlacement result{ratio(resized.width, size.width), ratio(resized.height, size.height), 0, 0};
  if (sized.crop_width > 0) {
    result.offset_x = -cropped(resized.width, sized.crop_width);
    result.offset_y = -cropped(resized.height, sized.crop_height);
  }
  return result;
}

SampleImage describe_sample_image(std::string path, const ImageSize& size, const Tensor& tensor,
                                  std::span<const std::int64_t> dimensions,
                                  const ImageOptions* options) {
  SampleImage image{std::move(path), size, size, {}, false};
  const Shape& shape = tensor.shape();
  const std::int64_t rank = shape.rank();
  if (rank == 2) {
    image.input_size = {shape[1], shape[0]};
  } else if (rank > 2) {
    const std::int64_t channels =
        dimensions.empty() ? -1 : dimensions[dimensions.size() == 4 ? 1 : 0];
    const ImageOptions::Layout layout =
        options == nullptr ? ImageOptions::Layout::automatic : options->layout;
    image.is_channels_last = layout == ImageOptions::Layout::automatic
                                 ? channels != 1 && channels != 3
                                 : layout == ImageOptions::Layout::nhwc;
    const std::int64_t rows = image.is_channels_last ? rank - 3 : rank - 2;
    image.input_size = {shape[rows + 1], shape[rows]};
  }
  image.placement = place_image(size, image.input_size, options);
  return image;
}

}  // namespace ortool
