// Making pictures larger or smaller, and cutting out their middle.
#pragma once

#include "libcore/io/image.hpp"

namespace ortool {

/// Bilinear with antialiasing: a triangle as wide as the step between output pixels, columns first,
/// then rows, each rounded to 8 bits. The same bits as Pillow's BILINEAR.
Image resize_bilinear(const Image& image, std::int64_t width, std::int64_t height);

/// The middle, as torchvision's CenterCrop: an odd rest rounds half to even. Throws
/// ErrorCode::invalid when the picture is smaller.
Image crop_center(const Image& image, std::int64_t width, std::int64_t height);

}  // namespace ortool
