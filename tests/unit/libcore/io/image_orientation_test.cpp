// EXIF orientation: read from every kind of file, and all eight turns.
#include "libcore/io/image_orientation.hpp"

#include <catch2/catch.hpp>

#include "tests/support/hex.hpp"

using namespace ortool;
using ortool::test::from_hex;

namespace {

const std::string webp_exif6 = from_hex(
    "524946467600000057454250565038580a000000080000000200000100005650384c350000002f024000002f4098"
    "6db439dc7bfe96a7212420741ffc7f8920db6617a9bfe5e73fe0cf78264501856c23c0a17b054ee922fa1fc30b00"
    "455849461a0000004d4d002a00000008000101120003000000010006000000000000");
const std::string png_exif6 = from_hex(
    "89504e470d0a1a0a0000000d4948445200000003000000020800000000b81f39c60000001a655849664d4d002a00"
    "000008000101120003000000010006000000000000d6674b690000001049444154789c6364606464646664040000"
    "2b000ae05fe4cd0000000049454e44ae426082");
const std::string tiff_orient = from_hex(
    "49492a00080000000b00000104000100000003000000010104000100000002000000020103000300000092000000"
    "03010300010000000100000006010300010000000200000011010400010000009800000012010300010000000800"
    "00001501030001000000030000001601040001000000020000001701040001000000120000001c01030001000000"
    "0100000000000000080008000800ff000000ff000000ff0a141e28323c46505a");

std::span<const std::byte> bytes_of(const std::string& file) {
  return std::as_bytes(std::span(file));
}

/// The start of a JPEG file with EXIF data.
std::string jpeg_with(const std::string& exif) {
  const std::string content = std::string("Exif\0\0", 6) + exif;
  const std::size_t size = content.size() + 2;
  std::string file = from_hex("ffd8ffe000104a46494600010100000100010000ffe1");
  file += static_cast<char>(size >> 8U);
  file += static_cast<char>(size & 0xffU);
  return file + content + from_hex("ffda");
}

/// EXIF data with the tag.
std::string exif_with(int orientation, bool is_big_endian) {
  std::string exif = is_big_endian
                         ? from_hex("4d4d002a00000008000101120003000000010000000000000000")
                         : from_hex("49492a00080000000100120103000100000000000000000000");
  exif[is_big_endian ? 19 : 18] = static_cast<char>(orientation);
  return exif;
}

}  // namespace

TEST_CASE("the orientation is read from JPEG, PNG, WebP and TIFF files") {
  for (int orientation = 1; orientation <= 8; ++orientation) {
    for (const bool is_big_endian : {false, true}) {
      const std::string file = jpeg_with(exif_with(orientation, is_big_endian));
      CHECK(read_orientation(bytes_of(file)) == orientation);
    }
  }
  CHECK(read_orientation(bytes_of(png_exif6)) == 6);
  CHECK(read_orientation(bytes_of(webp_exif6)) == 6);
  CHECK(read_orientation(bytes_of(tiff_orient)) == 8);
}

TEST_CASE("without a readable orientation an image is upright") {
  CHECK(read_orientation(bytes_of(jpeg_with(exif_with(9, false)))) == 1);
  CHECK(read_orientation(bytes_of(jpeg_with(exif_with(0, true)))) == 1);
  CHECK(read_orientation(bytes_of(jpeg_with(""))) == 1);
  CHECK(read_orientation(bytes_of("P5 1 1 255\n1")) == 1);
  for (const std::string& good :
       {jpeg_with(exif_with(6, true)), png_exif6, webp_exif6, tiff_orient}) {
    for (std::size_t i = 0; i < good.size(); ++i) {
      const int cut = read_orientation(bytes_of(good.substr(0, i)));
      CHECK((cut >= 1 && cut <= 8));
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ 0xff);
      const int damaged = read_orientation(bytes_of(bad));
      CHECK((damaged >= 1 && damaged <= 8));
    }
  }
}

TEST_CASE("all eight orientations are rotated upright, as Pillow does") {
  using Pixels = std::vector<std::uint8_t>;
  const Pixels expected[] = {{0, 1, 2, 3, 4, 5}, {2, 1, 0, 5, 4, 3}, {5, 4, 3, 2, 1, 0},
                             {3, 4, 5, 0, 1, 2}, {0, 3, 1, 4, 2, 5}, {3, 0, 4, 1, 5, 2},
                             {5, 2, 4, 1, 3, 0}, {2, 5, 1, 4, 0, 3}};
  for (int orientation = 1; orientation <= 8; ++orientation) {
    INFO(orientation);
    const Image gray{.width = 3, .height = 2, .channels = 1, .pixels = {0, 1, 2, 3, 4, 5}};
    const Image upright = turn_upright(gray, orientation);
    CHECK(upright.width == (orientation < 5 ? 3 : 2));
    CHECK(upright.height == (orientation < 5 ? 2 : 3));
    CHECK(upright.pixels == expected[orientation - 1]);
    Image colors{.width = 3, .height = 2, .channels = 3, .pixels = {}};
    for (std::uint8_t i = 0; i < 18; ++i) colors.pixels.push_back(i);
    const Image rotated = turn_upright(colors, orientation);
    for (std::size_t i = 0; i < 18; ++i)
      CHECK(int{rotated.pixels[i]} ==
            expected[orientation - 1][i / 3] * 3 + static_cast<int>(i % 3));
  }
}

TEST_CASE("a file is decoded upright, or as it is stored") {
  const Image upright = decode_upright_image(bytes_of(png_exif6));
  CHECK(upright.width == 2);
  CHECK(upright.height == 3);
  CHECK(upright.pixels == std::vector<std::uint8_t>{3, 0, 4, 1, 5, 2});
  CHECK(decode_image_bytes(bytes_of(png_exif6)).width == 3);
  const Image webp = decode_upright_image(bytes_of(webp_exif6));
  CHECK(webp.width == 2);
  const Image tiff = decode_upright_image(bytes_of(tiff_orient));
  CHECK(tiff.width == 2);
  CHECK(tiff.height == 3);
  // The top right pixel, blue, comes to the top left.
  CHECK(tiff.pixels[2] == 255);
  CHECK(decode_image_bytes(bytes_of(tiff_orient)).pixels[0] == 255);
}
