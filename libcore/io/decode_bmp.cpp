// BMP decoder, for uncompressed images of 1 to 32 bits per pixel
// (https://learn.microsoft.com/windows/win32/gdi/bitmap-storage).
#include <array>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/io/image.hpp"

namespace ortool {
namespace {

[[noreturn]] void fail_bmp(std::string message) {
  throw Error(ErrorCode::invalid, "the BMP image " + std::move(message),
              "the file is damaged or of an unsupported kind: convert it to PNG");
}

/// Little-endian numbers at file offsets.
class Fields {
 public:
  explicit Fields(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::uint32_t at(std::size_t place, std::size_t size) const {
    if (place > bytes_.size() || size > bytes_.size() - place) fail_bmp("ends in its header");
    std::uint32_t value = 0;
    for (std::size_t i = size; i-- > 0;)
      value = value << 8U | std::to_integer<std::uint32_t>(bytes_[place + i]);
    return value;
  }
  std::int64_t signed_at(std::size_t place, std::size_t size) const {
    const std::uint32_t value = at(place, size);
    return size == 2 ? std::int64_t{value} : static_cast<std::int32_t>(value);
  }

 private:
  std::span<const std::byte> bytes_;
};

using Color = std::array<std::uint8_t, 3>;

struct Header {
  std::int64_t width = 0;
  std::int64_t height = 0;
  bool is_from_top = false;
  std::int64_t bits = 0;
  std::size_t pixels_at = 0;
  std::vector<Color> palette;
};

std::vector<Color> read_palette(const Fields& fields, std::size_t place, std::size_t entry_bytes,
                                std::uint32_t count) {
  std::vector<Color> palette;
  for (std::size_t i = 0; i < count; ++i, place += entry_bytes) {
    const std::uint32_t blue_green_red = fields.at(place, 3);
    palette.push_back({static_cast<std::uint8_t>(blue_green_red >> 16U),
                       static_cast<std::uint8_t>(blue_green_red >> 8U),
                       static_cast<std::uint8_t>(blue_green_red)});
  }
  return palette;
}

Header read_header(const Fields& fields) {
  const std::size_t header_bytes = fields.at(14, 4);
  const bool is_old = header_bytes == 12;
  if (!is_old && header_bytes < 40) fail_bmp(format("has a header of {} bytes", header_bytes));
  Header header;
  header.pixels_at = fields.at(10, 4);
  const std::size_t size = is_old ? 2 : 4;
  header.width = fields.signed_at(18, size);
  header.height = fields.signed_at(18 + size, size);
  header.is_from_top = header.height < 0;
  if (header.is_from_top) header.height = -header.height;
  header.bits = fields.at(is_old ? 24 : 28, 2);
  const std::uint32_t compression = is_old ? 0 : fields.at(30, 4);
  const bool has_masks = compression == 3 && header.bits == 32;
  if (compression != 0 && !has_masks) fail_bmp(format("uses compression method {}", compression));
  if (has_masks &&
      (fields.at(54, 4) != 0xff0000 || fields.at(58, 4) != 0xff00 || fields.at(62, 4) != 0xff))
    fail_bmp("has masks other than 8 bits per color");
  const bool has_palette = header.bits == 1 || header.bits == 4 || header.bits == 8;
  if (!has_palette && header.bits != 24 && header.bits != 32)
    fail_bmp(format("has {} bits per pixel (1, 4, 8, 24 or 32 are supported)", header.bits));
  if (has_palette) {
    const std::uint32_t most = 1U << static_cast<unsigned>(header.bits);
    const std::uint32_t given = is_old ? most : fields.at(46, 4);
    header.palette = read_palette(fields, 14 + header_bytes, is_old ? 3 : 4,
                                  given == 0 || given > most ? most : given);
  }
  return header;
}

/// The color of pixel `x` in a row.
Color color_at(const Header& header, const std::byte* row, std::int64_t x) {
  const auto byte = [&](std::int64_t place) { return std::to_integer<std::uint8_t>(row[place]); };
  if (header.palette.empty()) {
    const std::int64_t place = x * header.bits / 8;
    return {byte(place + 2), byte(place + 1), byte(place)};
  }
  const std::int64_t bit = x * header.bits;
  const auto shift = static_cast<unsigned>(8 - header.bits - bit % 8);
  const unsigned index =
      unsigned{byte(bit / 8)} >> shift & ((1U << static_cast<unsigned>(header.bits)) - 1);
  if (index >= header.palette.size())
    fail_bmp(format("uses color {}, which is not in its palette", index));
  return header.palette[index];
}

}  // namespace

Image decode_bmp(std::span<const std::byte> bytes, MemoryCap* cap) {
  const Header header = read_header(Fields(bytes));
  Image image = make_image(header.width, header.height, 3, bytes.size(), cap);
  const std::int64_t row_bytes = (header.width * header.bits + 31) / 32 * 4;
  if (header.pixels_at > bytes.size() ||
      header.height > static_cast<std::int64_t>(bytes.size() - header.pixels_at) / row_bytes) {
    fail_bmp(format("of {} x {} is truncated", header.width, header.height));
  }
  std::uint8_t* out = image.pixels.data();
  for (std::int64_t y = 0; y < header.height; ++y) {
    const std::int64_t row = header.is_from_top ? y : header.height - 1 - y;
    const std::byte* from = bytes.data() + header.pixels_at + row * row_bytes;
    for (std::int64_t x = 0; x < header.width; ++x) {
      for (const std::uint8_t part : color_at(header, from, x)) *out++ = part;
    }
  }
  return image;
}

}  // namespace ortool
