// Decoders of WebP, TIFF and GIF, on files written by Pillow.
#include <catch2/catch.hpp>

#include "libcore/base/error.hpp"
#include "libcore/base/memory/memory_cap.hpp"
#include "libcore/io/image.hpp"
#include "tests/support/hex.hpp"

using namespace ortool;
using ortool::test::from_hex;

namespace {

Image decode_file(const std::string& file, MemoryCap* cap = nullptr) {
  return decode_image_bytes(std::as_bytes(std::span(file)), cap);
}

using Pixels = std::vector<std::uint8_t>;

const std::string webp_lossless = from_hex(
    "5249464642000000574542505650384c350000002f024000002f40986db439dc7bfe96a7212420741ffc7f8920db"
    "6617a9bfe5e73fe0cf78264501856c23c0a17b054ee922fa1fc30b00");
const std::string webp_alpha = from_hex(
    "5249464646000000574542505650384c390000002f024000102f2024209c50fd7fe90699b44dfb4e44fdbb1c41b6"
    "cd2e527fcb0b0408d2950b387c6f39158b50c836021cba17e4582ea2ff31bc00");
const std::string webp_anim = from_hex(
    "52494646d200000057454250565038580a00000002000000020000010000414e494d06000000000000000000414e"
    "4d4650000000000000000000020000010000000000025650384c370000002f024000002f40a46d3313a3f30feff0"
    "368404846c84ff17bc23c8b6c9448a7fcdcf7fc09f2845b1070ad9468053bb47e1442ea2ff315e00414e4d464e00"
    "0000000000000000020000010000000000005650384c350000002f024000002f20242056a8fe470fdd101210b211"
    "fe5ff08e20db261329fe353fff31df6318c8040ad9468043f7929cc845f43fde1100");
const std::string webp_lossy = from_hex(
    "524946463a00000057454250565038202e000000d001009d012a1000080001402625a00274ba01f80003b000fef0"
    "9b43ff1672311d9e6ffeec9fed93fdb27fee1000");
const std::string gif = from_hex(
    "4749463837610300020082000000ff0046505a28323c0a141eff00000000ff0000000000002c0000000003000200"
    "000809000900283040408080003b");
const std::string gif_interlace = from_hex(
    "47494638376104000a00810000000000ff000000ff000000ff2c0000000004000a00000815000104103040204183"
    "0507263ca810a1c3860a0302003b");
const std::string gif_plain_transparent = from_hex(
    "47494638396104000a00810000000000ff000000ff000000ff21f90401000001002c0000000004000a0000081500"
    "01041030402041830507263ca810a1c3860a0302003b");
const std::string tiff_lzw = from_hex(
    "49492a001a000000803fc01038141014140f0a0643c23140b5010a00000103000100000003000000010103000100"
    "00000200000002010300030000009800000003010300010000000500000006010300010000000200000011010400"
    "01000000080000001501030001000000030000001601030001000000020000001701040001000000120000001c01"
    "0300010000000100000000000000080008000800");
const std::string tiff_raw = from_hex(
    "49492a00080000000a00000104000100000003000000010104000100000002000000020103000300000086000000"
    "03010300010000000100000006010300010000000200000011010400010000008c00000015010300010000000300"
    "00001601040001000000020000001701040001000000120000001c01030001000000010000000000000008000800"
    "0800ff000000ff000000ff0a141e28323c46505a");
const std::string tiff_deflate_alpha = from_hex(
    "49492a0024000000789cfbcfc0f01f081b401497881ca386910d935b401433005fa206450b000001030001000000"
    "030000000101030001000000020000000201030004000000ae000000030103000100000008000000060103000100"
    "00000200000011010400010000000800000015010300010000000400000016010300010000000200000017010400"
    "010000001c0000001c0103000100000001000000520103000100000002000000000000000800080008000800");
const std::string tiff_g4 = from_hex(
    "49492a001800000026a8ba0414524952492a49250010010009000001030001000000090000000101030001000000"
    "04000000020103000100000001000000030103000100000004000000060103000100000001000000110104000100"
    "00000800000016010300010000000400000017010400010000000f0000001c010300010000000100000000000000");
const std::string tiff_gray16 = from_hex(
    "49492a00080000000900000104000100000003000000010104000100000002000000020103000100000010000000"
    "03010300010000000100000006010300010000000100000011010400010000007a00000016010400010000000200"
    "000017010400010000000c0000001c01030001000000010000000000000000000101ffff0080e8038000");

/// Three columns and two rows.
const Pixels colors = {255, 0, 0, 0, 255, 0, 0, 0, 255, 10, 20, 30, 40, 50, 60, 70, 80, 90};

bool has_colors(const Image& image) {
  return image.width == 3 && image.height == 2 && image.channels == 3 && image.pixels == colors;
}

}  // namespace

TEST_CASE("WebP images are decoded: lossless, lossy, without alpha, the first frame") {
  CHECK(has_colors(decode_file(webp_lossless)));
  CHECK(has_colors(decode_file(webp_alpha)));
  CHECK(has_colors(decode_file(webp_anim)));
  const Image lossy = decode_file(webp_lossy);
  CHECK(lossy.width == 16);
  CHECK(lossy.height == 8);
  CHECK(int{lossy.pixels[0]} == Approx(200).margin(4));
  CHECK(int{lossy.pixels[1]} == Approx(40).margin(4));
}

TEST_CASE("TIFF images are decoded: LZW, Deflate and uncompressed, without alpha") {
  CHECK(has_colors(decode_file(tiff_lzw)));
  CHECK(has_colors(decode_file(tiff_raw)));
  CHECK(has_colors(decode_file(tiff_deflate_alpha)));
}

TEST_CASE("TIFF images in gray stay gray: fax compression and 16 bits") {
  const Image fax = decode_file(tiff_g4);
  CHECK(fax.channels == 1);
  REQUIRE(fax.pixels.size() == 36);
  for (std::size_t i = 0; i < 36; ++i)
    CHECK(int{fax.pixels[i]} == ((i / 9 + i % 9) % 3 == 0 ? 255 : 0));
  const Image deep = decode_file(tiff_gray16);
  CHECK(deep.channels == 1);
  // The library takes the upper bytes.
  CHECK(deep.pixels == Pixels{0, 1, 255, 128, 3, 0});
}

TEST_CASE("GIF images are decoded: with a palette, interlaced, transparent") {
  CHECK(has_colors(decode_file(gif)));
  const Image interlaced = decode_file(gif_interlace);
  const Image plain = decode_file(gif_plain_transparent);
  CHECK(interlaced.width == 4);
  CHECK(interlaced.height == 10);
  CHECK(interlaced.pixels == plain.pixels);
  REQUIRE(plain.pixels.size() == 120);
  const Pixels row = {0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255};
  for (std::size_t i = 0; i < 120; ++i) CHECK(int{plain.pixels[i]} == int{row[i % 12]});
}

TEST_CASE("a GIF frame smaller than the image lies on the background color") {
  std::string file = gif;
  file[6] = 5;   // columns of the image; the frame has three
  file[11] = 2;  // the background color
  const Image image = decode_file(file);
  CHECK(image.width == 5);
  CHECK(image.height == 2);
  const Pixels frame(image.pixels.begin(), image.pixels.begin() + 9);
  CHECK(frame == Pixels(colors.begin(), colors.begin() + 9));
  CHECK(image.pixels[9] == image.pixels[12]);
}

TEST_CASE("cut WebP, TIFF and GIF files are errors") {
  for (const std::string& good :
       {webp_lossless, webp_alpha, webp_anim, webp_lossy, tiff_lzw, tiff_deflate_alpha}) {
    for (std::size_t length = 0; length + 1 < good.size(); ++length) {
      INFO(good.substr(0, 2) << " " << length);
      CHECK_THROWS_AS(decode_file(good.substr(0, length)), Error);
    }
  }
  for (std::size_t length = 0; length + 3 < gif.size(); ++length) {
    INFO(length);
    CHECK_THROWS_AS(decode_file(gif.substr(0, length)), Error);
  }
}

TEST_CASE("damaged WebP, TIFF and GIF files are decoded or one error, within the memory limit") {
  for (const std::string& good :
       {webp_lossless, webp_alpha, webp_anim, webp_lossy, gif, gif_interlace, tiff_lzw, tiff_raw,
        tiff_deflate_alpha, tiff_g4, tiff_gray16}) {
    for (std::size_t i = 0; i < good.size(); ++i) {
      for (const int flip : {0x01, 0x10, 0x80, 0xff}) {
        std::string bad = good;
        bad[i] = static_cast<char>(bad[i] ^ flip);
        MemoryCap cap(std::int64_t{16} << 20);
        try {
          const Image image = decode_file(bad, &cap);
          CHECK(image.pixels.size() ==
                static_cast<std::size_t>(image.width * image.height * image.channels));
        } catch (const Error& error) {
          CHECK_FALSE(std::string(error.what()).empty());
        }
        CHECK(cap.used_bytes() == 0);
      }
    }
  }
}

TEST_CASE("images that are too large are refused before they are decoded") {
  std::string large = tiff_raw;
  large.replace(18, 4, from_hex("00000100"));  // columns
  large.replace(30, 4, from_hex("00000100"));  // rows
  CHECK_THROWS_AS(decode_file(large), Error);
  MemoryCap cap(16);
  try {
    decode_file(webp_lossless, &cap);
    FAIL("18 bytes were decoded within 16");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::memory_limit);
  }
}
