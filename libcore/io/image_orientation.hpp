// EXIF orientation: how an image has to be turned to stand upright.
#pragma once

#include <cstddef>
#include <span>

#include "libcore/io/image.hpp"

namespace ortool {

/// The orientation tag of a JPEG, PNG, WebP or TIFF file, 1 to 8
/// (https://exiftool.org/TagNames/EXIF.html); 1, upright, if there is none or it cannot be read.
int read_orientation(std::span<const std::byte> bytes);

/// The image mirrored and rotated from `orientation` to upright. The result is counted like
/// `image`.
Image turn_upright(Image image, int orientation);

/// decode_image_bytes(), turned upright by the file's orientation tag.
Image decode_upright_image(std::span<const std::byte> bytes, MemoryCap* cap = nullptr);

}  // namespace ortool
