// EXIF orientation: finds the tag without decoding the image, and turns pixels.
#include "libcore/io/image_orientation.hpp"

#include <string_view>
#include <utility>

namespace ortool {
namespace {

constexpr int upright = 1;

/// Numbers at file offsets; 0 past the end.
class Numbers {
 public:
  Numbers(std::span<const std::byte> bytes, bool is_big_endian)
      : bytes_(bytes), is_big_endian_(is_big_endian) {}

  std::size_t at(std::size_t place, std::size_t size) const {
    if (place > bytes_.size() || size > bytes_.size() - place) return 0;
    std::size_t value = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t from = is_big_endian_ ? i : size - 1 - i;
      value = value << 8U | std::to_integer<std::size_t>(bytes_[place + from]);
    }
    return value;
  }

 private:
  std::span<const std::byte> bytes_;
  bool is_big_endian_;
};

std::string_view text_at(std::span<const std::byte> bytes, std::size_t place, std::size_t size) {
  if (place > bytes.size() || size > bytes.size() - place) return {};
  return {reinterpret_cast<const char*>(bytes.data()) + place, size};
}

std::span<const std::byte> part(std::span<const std::byte> bytes, std::size_t place,
                                std::size_t size) {
  if (place > bytes.size() || size > bytes.size() - place) return {};
  return bytes.subspan(place, size);
}

/// The tag in the first directory of TIFF data, which EXIF data are too.
int orientation_in_tiff(std::span<const std::byte> bytes) {
  constexpr std::size_t orientation_tag = 0x112;
  constexpr std::size_t short_type = 3;
  const bool is_big_endian = text_at(bytes, 0, 2) == "MM";
  const Numbers numbers(bytes, is_big_endian);
  if ((!is_big_endian && text_at(bytes, 0, 2) != "II") || numbers.at(2, 2) != 42) return upright;
  const std::size_t directory = numbers.at(4, 4);
  const std::size_t count = numbers.at(directory, 2);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t entry = directory + 2 + 12 * i;
    if (numbers.at(entry, 2) != orientation_tag) continue;
    const std::size_t value = numbers.at(entry + 8, numbers.at(entry + 2, 2) == short_type ? 2 : 4);
    return value >= 1 && value <= 8 ? static_cast<int>(value) : upright;
  }
  return upright;
}

int orientation_in_exif(std::span<const std::byte> bytes) {
  constexpr std::string_view prefix("Exif\0\0", 6);
  return orientation_in_tiff(text_at(bytes, 0, 6) == prefix ? bytes.subspan(6) : bytes);
}

int orientation_in_jpeg(std::span<const std::byte> bytes) {
  const Numbers numbers(bytes, true);
  std::size_t place = 2;
  while (place + 4 <= bytes.size() && numbers.at(place, 1) == 0xff) {
    const std::size_t marker = numbers.at(place + 1, 1);
    if (marker == 0xff) {
      ++place;
      continue;
    }
    constexpr std::size_t start_of_scan = 0xda;
    constexpr std::size_t application_1 = 0xe1;
    const std::size_t size = numbers.at(place + 2, 2);
    if (marker == start_of_scan || size < 2) return upright;
    if (marker == application_1 && text_at(bytes, place + 4, 4) == "Exif")
      return orientation_in_exif(part(bytes, place + 4, size - 2));
    place += 2 + size;
  }
  return upright;
}

int orientation_in_png(std::span<const std::byte> bytes) {
  const Numbers numbers(bytes, true);
  for (std::size_t place = 8; place + 8 <= bytes.size();) {
    const std::size_t size = numbers.at(place, 4);
    if (text_at(bytes, place + 4, 4) == "eXIf")
      return orientation_in_exif(part(bytes, place + 8, size));
    place += 12 + size;
  }
  return upright;
}

int orientation_in_webp(std::span<const std::byte> bytes) {
  const Numbers numbers(bytes, false);
  for (std::size_t place = 12; place + 8 <= bytes.size();) {
    const std::size_t size = numbers.at(place + 4, 4);
    if (text_at(bytes, place, 4) == "EXIF")
      return orientation_in_exif(part(bytes, place + 8, size));
    place += 8 + size + size % 2;
  }
  return upright;
}

}  // namespace

int read_orientation(std::span<const std::byte> bytes) {
  switch (image_format_of(bytes)) {
    case ImageFormat::jpeg:
      return orientation_in_jpeg(bytes);
    case ImageFormat::png:
      return orientation_in_png(bytes);
    case ImageFormat::webp:
      return orientation_in_webp(bytes);
    case ImageFormat::tiff:
      return orientation_in_tiff(bytes);
    default:
      return upright;
  }
}

Image turn_upright(Image image, int orientation) {
  if (orientation <= upright || orientation > 8) return image;
  const bool is_transposed = orientation >= 5;
  // Which edge of the stored image is the first of its columns and rows when upright.
  const bool from_right =
      orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
  const bool from_bottom =
      orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
  Image result = make_image_like(image, is_transposed ? image.height : image.width,
                                 is_transposed ? image.width : image.height, image.channels);
  const std::int64_t channels = image.channels;
  std::int64_t column_step = from_right ? -channels : channels;
  std::int64_t row_step = (from_bottom ? -channels : channels) * image.width;
  const std::int64_t first =
      ((from_bottom ? image.height - 1 : 0) * image.width + (from_right ? image.width - 1 : 0)) *
      channels;
  if (is_transposed) std::swap(column_step, row_step);
  std::uint8_t* out = result.pixels.data();
  for (std::int64_t y = 0; y < result.height; ++y) {
    const std::uint8_t* in = image.pixels.data() + first + y * row_step;
    for (std::int64_t x = 0; x < result.width; ++x) {
      for (std::int64_t channel = 0; channel < channels; ++channel)
        *out++ = in[x * column_step + channel];
    }
  }
  return result;
}

Image decode_upright_image(std::span<const std::byte> bytes, MemoryCap* cap) {
  return turn_upright(decode_image_bytes(bytes, cap), read_orientation(bytes));
}

}  // namespace ortool
