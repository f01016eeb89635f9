// Selects the image decoder; common limits and channel conversion.
#include "libcore/io/image.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "libcore/base/error.hpp"
#include "libcore/base/file/file.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/memory/memory_cap.hpp"

namespace ortool {
namespace {

Image image_of(std::int64_t width, std::int64_t height, std::int64_t channels, MemoryCap* cap) {
  Image image;
  image.width = width;
  image.height = height;
  image.channels = channels;
  image.cap = cap;
  const std::int64_t bytes = width * height * channels;
  if (cap != nullptr)
    image.counted = std::make_shared<const MemoryReservation>(cap, bytes, "an image");
  image.pixels.resize(static_cast<std::size_t>(bytes));
  return image;
}

}  // namespace

Image decode_image(const std::string& path, MemoryCap* cap) {
  const MappedFile file = MappedFile::open(path);
  try {
    return decode_image_bytes(file.bytes(), cap);
  } catch (Error& error) {
    error.in(path);
    throw;
  }
}

Image decode_image_bytes(std::span<const std::byte> bytes, MemoryCap* cap) {
  switch (image_format_of(bytes)) {
    case ImageFormat::png:
      return decode_png(bytes, cap);
    case ImageFormat::jpeg:
      return decode_jpeg(bytes, cap);
    case ImageFormat::jpeg_2000:
      return decode_jpeg_2000(bytes, cap);
    case ImageFormat::webp:
      return decode_webp(bytes, cap);
    case ImageFormat::tiff:
      return decode_tiff(bytes, cap);
    case ImageFormat::gif:
      return decode_gif(bytes, cap);
    case ImageFormat::bmp:
      return decode_bmp(bytes, cap);
    case ImageFormat::pnm:
      return decode_pnm(bytes, cap);
    case ImageFormat::unknown:
      break;
  }
  throw Error(ErrorCode::invalid,
              bytes.empty() ? "the image file is empty"
                            : "the image format is not recognized by its first bytes",
              "PNG, JPEG, JPEG 2000, WebP, TIFF, GIF, BMP, PPM, PGM and PBM are supported; convert it "
              "to one of them");
}

ImageFormat image_format_of(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.starts_with("\x89PNG\r\n\x1a\n")) return ImageFormat::png;
  if (text.starts_with("\xff\xd8\xff")) return ImageFormat::jpeg;
  if (text.starts_with(std::string_view("\0\0\0\x0cjP  \r\n\x87\n", 12)) ||
      text.starts_with("\xff\x4f\xff\x51"))
    return ImageFormat::jpeg_2000;
  if (text.starts_with("RIFF") && text.substr(0, 12).ends_with("WEBP")) return ImageFormat::webp;
  // 42 in classic files, 43 in those with 64-bit offsets.
  constexpr std::array<std::string_view, 4> tiff_starts = {
      std::string_view("II\x2a\0", 4), std::string_view("MM\0\x2a", 4),
      std::string_view("II\x2b\0", 4), std::string_view("MM\0\x2b", 4)};
  if (std::any_of(tiff_starts.begin(), tiff_starts.end(),
                  [&](std::string_view start) { return text.starts_with(start); }))
    return ImageFormat::tiff;
  if (text.starts_with("GIF87a") || text.starts_with("GIF89a")) return ImageFormat::gif;
  if (text.starts_with("BM")) return ImageFormat::bmp;
  if (text.size() > 2 && text[0] == 'P' &&
      std::string_view("123456").find(text[1]) != std::string_view::npos)
    return ImageFormat::pnm;
  return ImageFormat::unknown;
}

bool is_image_extension(std::string_view extension) {
  constexpr std::array<std::string_view, 13> known = {".png",  ".jpg", ".jpeg", ".jp2", ".j2k",
                                                      ".webp", ".tif", ".tiff", ".gif", ".bmp",
                                                      ".ppm",  ".pgm", ".pbm"};
  return std::find(known.begin(), known.end(), extension) != known.end();
}

Image make_image(std::int64_t width, std::int64_t height, std::int64_t channels,
                 std::optional<std::size_t> file_bytes, MemoryCap* cap) {
  // The maximum expansion of deflate; JPEG and GIF stay far below.
  constexpr std::int64_t max_inflation = 1032;
  std::int64_t pixels = 0;
  if (width <= 0 || height <= 0 || __builtin_mul_overflow(width, height, &pixels) ||
      pixels > max_image_pixels) {
    throw Error(ErrorCode::invalid,
                format("the image has {} x {} pixels (1 to {} are supported)", width, height,
                       max_image_pixels),
                "make it smaller first");
  }
  // An uncompressed row takes at least one byte for eight pixels.
  if (file_bytes && pixels / 8 / max_inflation > static_cast<std::int64_t>(*file_bytes)) {
    throw Error(ErrorCode::invalid,
                format("the image declares {} x {} pixels, which its {} bytes cannot hold", width,
                       height, *file_bytes),
                "the file is damaged or truncated");
  }
  return image_of(width, height, channels, cap);
}

Image make_image_like(const Image& like, std::int64_t width, std::int64_t height,
                      std::int64_t channels) {
  return image_of(width, height, channels, like.cap);
}

Image with_channels(const Image& image, std::int64_t channels) {
  if (image.channels == channels) return image;
  Image result = make_image_like(image, image.width, image.height, channels);
  const auto count = static_cast<std::size_t>(image.width * image.height);
  for (std::size_t i = 0; i < count; ++i) {
    if (channels == 3) {
      for (std::size_t channel = 0; channel < 3; ++channel)
        result.pixels[3 * i + channel] = image.pixels[i];
    } else {
      // ITU-R 601-2 luma in 16-bit fixed point; the three weights sum to 65536.
      const std::uint32_t luma = 19595U * image.pixels[3 * i] + 38470U * image.pixels[3 * i + 1] +
                                 7471U * image.pixels[3 * i + 2] + 0x8000U;
      result.pixels[i] = static_cast<std::uint8_t>(luma >> 16);
    }
  }
  return result;
}

}  // namespace ortool
