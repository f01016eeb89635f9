// Pictures from PNG, JPEG, BMP, PPM, PGM and PBM files as 8-bit rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace ortool {

class MemoryCap;

/// Rows from the top, pixels from the left, channels together: 1 (grey) or 3 (red, green, blue).
struct Image {
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::int64_t channels = 0;
  std::vector<std::uint8_t> pixels;
  MemoryCap* cap = nullptr;             ///< counts the pixels, where it is not null
  std::shared_ptr<const void> counted;  ///< keeps them counted
};

constexpr std::int64_t most_image_pixels = std::int64_t{1} << 26;

/// Decodes by the first bytes, not by the name. An alpha channel is dropped and colours stay as
/// they are stored; 16-bit samples are scaled to 8; gamma, colour profiles and the orientation tag
/// are not applied. The pixels count against `cap`, which may be null and must outlive them, before
/// any is decoded. Throws ErrorCode::invalid with the path in front for what is missing, damaged,
/// cut short, or above 2^26 pixels, and ErrorCode::memory_limit.
Image decode_image(const std::string& path, MemoryCap* cap = nullptr);
/// The same from a file's bytes.
Image decode_image_bytes(std::span<const std::byte> bytes, MemoryCap* cap = nullptr);

/// The decoders, each for bytes that begin with its format's mark.
Image decode_png(std::span<const std::byte> bytes, MemoryCap* cap);
Image decode_jpeg(std::span<const std::byte> bytes, MemoryCap* cap);
Image decode_bmp(std::span<const std::byte> bytes, MemoryCap* cap);
Image decode_pnm(std::span<const std::byte> bytes, MemoryCap* cap);

/// An image with room for its pixels; throws ErrorCode::invalid when the sizes pass the limit, or
/// when a file of `file_bytes` cannot hold that many even at the format's best compression, and
/// ErrorCode::memory_limit when `cap` has no room for them.
Image make_image(std::int64_t width, std::int64_t height, std::int64_t channels,
                 std::size_t file_bytes, MemoryCap* cap = nullptr);

/// An image with room for its pixels, made from `like` and counted as that is.
Image make_image_like(const Image& like, std::int64_t width, std::int64_t height,
                      std::int64_t channels);

/// With 1 or 3 channels: grey is repeated, colour weighted 0.299, 0.587, 0.114.
Image with_channels(const Image& image, std::int64_t channels);

}  // namespace ortool
