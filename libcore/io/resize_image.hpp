// Image resizing and center cropping.
#pragma once

#include "libcore/io/image.hpp"

namespace ortool {

/// Antialiased bilinear resizing: a triangle filter as wide as the distance of output pixels,
/// horizontally and then vertically, each rounded to 8 bits. Bit-identical to Pillow's BILINEAR.
Image resize_bilinear(const Image& image, std::int64_t width, std::int64_t height);

/// The center, as torchvision's CenterCrop computes it: an odd margin is halved with ties to even.
/// Throws ErrorCode::invalid when the image is smaller.
Image crop_center(const Image& image, std::int64_t width, std::int64_t height);

}  // namespace ortool
