// Image encoders: PNG and JPEG files of 8-bit RGB pixels.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>

namespace ortool {

/// The bytes of an image file, in memory of C libraries.
struct EncodedImage {
  std::unique_ptr<unsigned char, void (*)(void*)> bytes{nullptr, std::free};
  std::size_t size = 0;
};

/// A PNG file of pixels [height, width, 3] in the order RGB: fast to write rather than small.
/// Throws ErrorCode::invalid for images without pixels or above 2^26 pixels.
EncodedImage encode_png(std::span<const std::uint8_t> pixels, std::int64_t height,
                        std::int64_t width);
/// A JPEG file of quality 95 with halved chroma, as OpenCV writes it. Throws ErrorCode::invalid for
/// sides above 65500 pixels, too.
EncodedImage encode_jpeg(std::span<const std::uint8_t> pixels, std::int64_t height,
                         std::int64_t width);

/// Throws ErrorCode::invalid unless an encoder takes images of that size.
void check_encoded_size(std::int64_t height, std::int64_t width, std::int64_t most_side);

}  // namespace ortool
