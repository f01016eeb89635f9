// Image placement: where the pixels of an image are in a model input after resizing and cropping.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "libcore/io/image_tensor.hpp"

namespace ortool {

/// Position in the input = position in the image * scale + offset, in pixels from the top left
/// corner.
struct ImagePlacement {
  double scale_x = 1;
  double scale_y = 1;
  double offset_x = 0;
  double offset_y = 0;
};

/// The rows and columns of a model input.
struct ImageSize {
  std::int64_t width = 0;
  std::int64_t height = 0;
};

/// The image that a sample's input was made from.
struct SampleImage {
  std::string path;
  ImageSize size;        ///< of the image
  ImageSize input_size;  ///< of the model input
  ImagePlacement placement;
  bool is_channels_last = false;  ///< of the model input
};

/// The placement of an image of `size` that `options` fit to an input of `input_size`, which may be
/// null: the image is resized to the input.
ImagePlacement place_image(const ImageSize& size, const ImageSize& input_size,
                           const ImageOptions* options);

/// What is known of an image at `path` that became `tensor`, the input of the declared
/// `dimensions`.
SampleImage describe_sample_image(std::string path, const ImageSize& size, const Tensor& tensor,
                                  std::span<const std::int64_t> dimensions,
                                  const ImageOptions* options);

}  // namespace ortool
