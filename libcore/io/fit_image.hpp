// Image fitting: resizing, center cropping and letterboxing to the size of a model input.
#pragma once

#include "libcore/io/image_tensor.hpp"

namespace ortool {

/// `options` for an input of that size, where -1 is open: sizes left open are those of `open_width`
/// and `open_height`, and for a square input crop_share becomes resize_shorter_side and crop.
ImageOptions resolve_sizes(const ImageOptions& options, std::int64_t& width, std::int64_t& height);

/// Where fitting puts an image.
struct ImageFit {
  std::int64_t resized_width = 0;  ///< of the image, before it is cropped or boxed
  std::int64_t resized_height = 0;
  std::int64_t width = 0;  ///< of the result
  std::int64_t height = 0;
  std::int64_t left = 0;  ///< of the resized image in the result; negative: cropped
  std::int64_t top = 0;
};

/// The arithmetic of fit_image(), which throws the same.
ImageFit plan_fit(std::int64_t image_width, std::int64_t image_height, const ImageOptions& options,
                  std::int64_t width, std::int64_t height);

/// Resizes, crops or letterboxes the image for an input of that size, where -1 is open. Without
/// options for it, the image is resized to the input's size, and stays as it is where that is open.
/// Throws ErrorCode::invalid when the options need a size that is open.
Image fit_image(const Image& image, const ImageOptions& options, std::int64_t width,
                std::int64_t height);

}  // namespace ortool
