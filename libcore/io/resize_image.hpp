// Image resizing and center cropping.
#pragma once

#include "libcore/io/image.hpp"

namespace ortool {

/// Interpolation filters. Bilinear, bicubic and lanczos are Pillow's, antialiased: as wide as the
/// distance of output pixels. Linear interpolates between the two nearest pixels in each direction,
/// as OpenCV's INTER_LINEAR does.
enum class ResizeFilter { bilinear, bicubic, lanczos, nearest, linear };

/// Resizes horizontally and then vertically, each rounded to 8 bits. Bit-identical to Pillow's
/// filters of the same names; linear is within one of OpenCV's results. Throws ErrorCode::invalid
/// for sizes beyond max_image_pixels.
Image resize_image(const Image& image, std::int64_t width, std::int64_t height,
                   ResizeFilter filter = ResizeFilter::bilinear);

/// Half of `rest`, the margin of a centered crop, with ties rounded to even.
std::int64_t half_of(std::int64_t rest);

/// The center, as torchvision's CenterCrop computes it: an odd margin is halved with ties to even.
/// Throws ErrorCode::invalid when the image is smaller.
Image crop_center(const Image& image, std::int64_t width, std::int64_t height);

}  // namespace ortool
