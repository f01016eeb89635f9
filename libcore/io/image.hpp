// Image: 8-bit images decoded from PNG, JPEG, JPEG 2000, WebP, TIFF, GIF, BMP, PPM, PGM and PBM files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ortool {

class MemoryCap;

/// Rows from top to bottom, pixels from left to right, channels interleaved: 1 (gray) or 3 (RGB).
struct Image {
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::int64_t channels = 0;
  std::vector<std::uint8_t> pixels;
  MemoryCap* cap = nullptr;             ///< counts the pixels, if not null
  std::shared_ptr<const void> counted;  ///< keeps the count while alive
};

constexpr std::int64_t max_image_pixels = std::int64_t{1} << 26;

enum class ImageFormat { unknown, png, jpeg, jpeg_2000, webp, tiff, gif, bmp, pnm };

/// Recognized by the first bytes.
ImageFormat image_format_of(std::span<const std::byte> bytes);

/// Whether files with this extension, in lower case with its dot, are read as images.
bool is_image_extension(std::string_view extension);

/// Decodes by the file's first bytes, not by its name: the first page of a TIFF file, the first
/// frame of an animation. Pixels stay in the order of the file (image_orientation.hpp turns them
/// upright). An alpha channel is dropped, colors are not converted, and 16-bit samples are scaled
/// to 8; gamma and color profiles are ignored. The pixels, and what the decoder needs in addition,
/// count against `cap`, which may be null and must outlive them, before any is decoded. Throws
/// ErrorCode::invalid, starting with the path, for files that are missing, damaged, truncated, or
/// above 2^26 pixels, ErrorCode::unsupported for rare kinds, and ErrorCode::memory_limit.
Image decode_image(const std::string& path, MemoryCap* cap = nullptr);
/// Same from a file's bytes.
Image decode_image_bytes(std::span<const std::byte> bytes, MemoryCap* cap = nullptr);

/// The decoders; each expects bytes that start with its format's signature.
Image decode_png(std::span<const std::byte> bytes, MemoryCap* cap);
Image decode_jpeg(std::span<const std::byte> bytes, MemoryCap* cap);
Image decode_jpeg_2000(std::span<const std::byte> bytes, MemoryCap* cap);
Image decode_webp(std::span<const std::byte> bytes, MemoryCap* cap);
Image decode_tiff(std::span<const std::byte> bytes, MemoryCap* cap);
Image decode_gif(std::span<const std::byte> bytes, MemoryCap* cap);
Image decode_bmp(std::span<const std::byte> bytes, MemoryCap* cap);
Image decode_pnm(std::span<const std::byte> bytes, MemoryCap* cap);

/// The samples of a PNG with a palette or in gray as they are stored: the indices of classes in a
/// label image. Throws ErrorCode::invalid for other images, and as decode_image() does.
Image decode_class_indices(std::span<const std::byte> bytes, MemoryCap* cap);

/// Allocates an image. Throws ErrorCode::invalid when the size exceeds the limit, or when a file of
/// `file_bytes` cannot contain that many pixels even with the best compression (empty: the format's
/// compression has no bound), and ErrorCode::memory_limit when `cap` is exhausted.
Image make_image(std::int64_t width, std::int64_t height, std::int64_t channels,
                 std::optional<std::size_t> file_bytes, MemoryCap* cap = nullptr);

/// Allocates an image that is counted like `like`.
Image make_image_like(const Image& like, std::int64_t width, std::int64_t height,
                      std::int64_t channels);

/// Converts to 1 or 3 channels: gray is repeated; RGB is weighted by 0.299, 0.587, 0.114.
Image with_channels(const Image& image, std::int64_t channels);

}  // namespace ortool
