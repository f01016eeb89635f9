// Image fitting: resizing, center cropping and letterboxing to the size of a model input.
#pragma once

#include "libcore/io/image_tensor.hpp"

namespace ortool {

/// `options` for an input of that size, where -1 is open: sizes left open are those of `open_width`
/// and `open_height`, and for a square input crop_share becomes resize_shorter_side and crop.
ImageOptions resolve_sizes(const ImageOptions& options, std::int64_t& width, std::int64_t& height);

/// The size of which a center crop to `side` keeps that share.
std::int64_t size_before_crop(std::int64_t side, double share);

/// Resizes, crops or letterboxes the image for an input of that size, where -1 is open. Without
/// options for it, the image is resized to the input's size, and stays as it is where that is open.
/// Throws ErrorCode::invalid when the options need a size that is open.
Image fit_image(const Image& image, const ImageOptions& options, std::int64_t width,
                std::int64_t height);

}  // namespace ortool
