// Image placement: the sizes and margins that fitting an image to a model input gives.
#include "libcore/dataset/metrics/image_placement.hpp"

#include "libcore/io/fit_image.hpp"

namespace ortool {

ImagePlacement place_image(const ImageSize& size, const ImageSize& input_size,
                           const ImageOptions* options) {
  const ImageFit fit =
      plan_fit(size.width, size.height, options != nullptr ? *options : ImageOptions(),
               input_size.width, input_size.height);
  const auto ratio = [](std::int64_t to, std::int64_t from) {
    return static_cast<double>(to) / static_cast<double>(from);
  };
  return {ratio(fit.resized_width, size.width), ratio(fit.resized_height, size.height),
          static_cast<double>(fit.left), static_cast<double>(fit.top)};
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
