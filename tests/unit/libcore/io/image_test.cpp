// Image decoders and resizing, against hashes of Pillow's results.
#include "libcore/io/image.hpp"

#include <catch2/catch.hpp>

#include "libcore/base/error.hpp"
#include "libcore/io/resize_image.hpp"
#include "tests/support/hex.hpp"

using namespace ortool;
using ortool::test::from_hex;

namespace {

Image decode(const std::string& file) {
  return decode_image_bytes(std::as_bytes(std::span(file)));
}

// 16 x 8 pixels: red on the left, green on the right.
const std::string jpeg = from_hex(
    "ffd8ffe000104a46494600010100000100010000ffdb004300100b0c0e0c0a100e0d0e1211101318281a18161618"
    "3123251d283a333d3c3933383740485c4e404457453738506d51575f626768673e4d71797064785c656763ffdb00"
    "43011112121815182f1a1a2f63423842636363636363636363636363636363636363636363636363636363636363"
    "636363636363636363636363636363636363636363636363ffc00011080008001003011100021101031101ffc400"
    "14000100000000000000000000000000000005ffc40014100100000000000000000000000000000000ffc4001701"
    "0003010000000000000000000000000001050607ffc40014110100000000000000000000000000000000ffda000c"
    "03010002110311003f0038148549198bffd9");
// Two pixels with a palette.
const std::string palette_png = from_hex(
    "89504e470d0a1a0a0000000d4948445200000002000000010103000000ceecedc900000006504c544501020"
    "3fafbfcfd5ee6a30000000a49444154789c636800000082008177cd72b60000000049454e44ae426082");
// Two pixels with alpha.
const std::string alpha_png = from_hex(
    "89504e470d0a1a0a0000000d4948445200000002000000010806000000f4227f8a0000001149444154789c"
    "63e0e46067606462fe0f0001c2011ec3aac3870000000049454e44ae426082");

Image random_image(std::int64_t width, std::int64_t height, std::int64_t channels) {
  Image image{.width = width, .height = height, .channels = channels, .pixels = {}};
  std::uint64_t state = 1;
  for (std::int64_t i = 0; i < width * height * channels; ++i) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    image.pixels.push_back(static_cast<std::uint8_t>(state >> 56));
  }
  return image;
}

std::uint64_t hash_of(const Image& image) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const std::uint8_t byte : image.pixels) hash = (hash ^ byte) * 0x100000001b3ULL;
  return hash;
}

}  // namespace

TEST_CASE("PNG pictures are decoded with palettes spread and alpha dropped") {
  const Image palette = decode(palette_png);
  CHECK(palette.pixels == std::vector<std::uint8_t>{250, 251, 252, 1, 2, 3});
  const Image alpha = decode(alpha_png);
  CHECK(alpha.channels == 3);
  CHECK(alpha.pixels == std::vector<std::uint8_t>{9, 8, 7, 1, 2, 3});
}

TEST_CASE("JPEG pictures are decoded") {
  const Image image = decode(jpeg);
  CHECK(image.width == 16);
  CHECK(image.height == 8);
  REQUIRE(image.channels == 3);
  CHECK(int{image.pixels[0]} == Approx(202).margin(1));
  CHECK(int{image.pixels[1]} == Approx(40).margin(1));
  CHECK(int{image.pixels.back()} == Approx(31).margin(1));
}

TEST_CASE("PBM pictures are decoded as digits and bits") {
  const Image digits = decode("P1 # a comment\n3 2\n101\n0 1 0\n");
  CHECK(digits.channels == 1);
  CHECK(digits.pixels == std::vector<std::uint8_t>{0, 255, 0, 255, 0, 255});
  CHECK(decode("P4\n3 2\n\xa0\x40").pixels == digits.pixels);
  CHECK_THROWS_AS(decode("P4\n9 2\n\xa0\x40"), Error);
  CHECK_THROWS_AS(decode("P1\n2 1\n12"), Error);
}

TEST_CASE("BMP pictures are decoded with a palette and without") {
  const std::string start = from_hex("424d00000000000000003600000028000000");
  const std::string middle = from_hex("0000000000000000000000000000000000000000");
  const std::string colors = start +
                             from_hex(
                                 "0200000002000000"
                                 "01001800") +
                             from_hex("00000000") + middle +
                             from_hex(
                                 "0000ff00ff000000"
                                 "ff00000a0b0c0000");
  const Image plain = decode(colors);
  CHECK(plain.width == 2);
  CHECK(plain.height == 2);
  // The file stores rows bottom-up and pixels as blue, green, red.
  CHECK(plain.pixels == std::vector<std::uint8_t>{0, 0, 255, 12, 11, 10, 255, 0, 0, 0, 255, 0});
  std::string from_top = colors;
  from_top.replace(22, 4, from_hex("feffffff"));
  CHECK(decode(from_top).pixels ==
        std::vector<std::uint8_t>{255, 0, 0, 0, 255, 0, 0, 0, 255, 12, 11, 10});
  CHECK_THROWS_AS(decode(colors.substr(0, colors.size() - 1)), Error);
  CHECK_THROWS_AS(decode(colors.substr(0, 40)), Error);

  std::string indexed = start +
                        from_hex(
                            "0500000001000000"
                            "01000100") +
                        from_hex("00000000") + middle + from_hex("0102030004050600") +
                        from_hex("a8000000");
  indexed[10] = 62;
  CHECK(decode(indexed).pixels ==
        std::vector<std::uint8_t>{6, 5, 4, 3, 2, 1, 6, 5, 4, 3, 2, 1, 6, 5, 4});
}

TEST_CASE("PPM and PGM pictures are decoded as text and bytes, with 8 and 16 bits") {
  CHECK(decode("P2\n# a comment\n2 1\n15\n0 15\n").pixels == std::vector<std::uint8_t>{0, 255});
  CHECK(decode("P3 1 1 255 1 2 3").pixels == std::vector<std::uint8_t>{1, 2, 3});
  CHECK(decode("P5 2 1 255\n\x07\x08").pixels == std::vector<std::uint8_t>{7, 8});
  CHECK(decode(std::string("P5 2 1 65535\n\xff\xff\x80\x80", 17)).pixels ==
        std::vector<std::uint8_t>{255, 128});
  CHECK(decode("P6 1 1 255\nabc").pixels == std::vector<std::uint8_t>{97, 98, 99});
}

TEST_CASE("a picture cut anywhere is an error") {
  for (const std::string& good : {palette_png, alpha_png, jpeg, std::string("P5 2 2 255\nabcd"),
                                  std::string("P3 1 1 9 1 2 3")}) {
    for (std::size_t length = 0; length + 1 < good.size(); ++length) {
      INFO(good.substr(0, 2) << " " << length);
      CHECK_THROWS_AS(decode(good.substr(0, length)), Error);
    }
  }
}

TEST_CASE("a damaged image is decoded or an error, never more") {
  for (const std::string& good : {palette_png, alpha_png, jpeg}) {
    for (std::size_t i = 0; i < good.size(); ++i) {
      for (const int flip : {0x01, 0x80, 0xff}) {
        std::string bad = good;
        bad[i] = static_cast<char>(bad[i] ^ flip);
        try {
          const Image image = decode(bad);
          CHECK(image.pixels.size() ==
                static_cast<std::size_t>(image.width * image.height * image.channels));
        } catch (const Error& error) {
          CHECK(error.message().size() < 400);
        }
      }
    }
  }
}

TEST_CASE("sizes above the limit or beyond the file are refused before the pixels") {
  CHECK_THROWS_WITH(decode("P5 100000 100000 255\nx"), Catch::Contains("100000 x 100000"));
  CHECK_THROWS_WITH(decode("P6 8000 8000 255\nx"), Catch::Contains("1 are left"));
  CHECK_THROWS_WITH(decode("P2 8000 8000 255\n1 2"), Catch::Contains("are left"));
  CHECK_THROWS_WITH(make_image(8192, 8192, 3, 100), Catch::Contains("cannot hold"));
  CHECK_THROWS_WITH(make_image(8193, 8192, 3, 1 << 30), Catch::Contains("67108864"));
  CHECK_THROWS_WITH(decode("P5 99999999999999999999 1 255\n"), Catch::Contains("number"));
  CHECK_THROWS_WITH(decode("P5 1 1 70000\nxx"), Catch::Contains("70000"));
  CHECK_THROWS_WITH(decode("FORM and more"), Catch::Contains("not recognized"));
  CHECK_THROWS_WITH(decode(""), Catch::Contains("empty"));
}

TEST_CASE("resizing gives the bits of Pillow's BILINEAR") {
  struct Facts {
    std::int64_t width;
    std::int64_t height;
    std::uint64_t color;
    std::uint64_t gray;
  };
  const Image color = random_image(37, 23, 3);
  const Image gray = random_image(37, 23, 1);
  const Facts all[] = {{16, 16, 0xf9ece446477823dc, 0xc33d2c6f8c79a96c},
                       {8, 5, 0x51c5dc3d9998cd21, 0xb6cb653a672d5830},
                       {37, 50, 0x819137093419d780, 0x6a28209c97147e1d},
                       {100, 70, 0x9ee30371bf4ed4a9, 0x4611b5cb7950834e},
                       {5, 23, 0xd9b70ed09a454be1, 0x30407e20f55d7fce},
                       {1, 1, 0xa2a632196e9c6c44, 0xaf643f4c860294c5}};
  for (const Facts& facts : all) {
    INFO(facts.width << " x " << facts.height);
    CHECK(hash_of(resize_image(color, facts.width, facts.height)) == facts.color);
    CHECK(hash_of(resize_image(gray, facts.width, facts.height)) == facts.gray);
  }
  CHECK(hash_of(with_channels(color, 1)) == 0x3c8c73ef5db68960);
}

TEST_CASE("the other filters give the bits of Pillow's") {
  struct Facts {
    ResizeFilter filter;
    std::int64_t width;
    std::int64_t height;
    std::uint64_t color;
    std::uint64_t gray;
  };
  const Image color = random_image(37, 23, 3);
  const Image gray = random_image(37, 23, 1);
  const Facts all[] = {{ResizeFilter::bicubic, 16, 16, 0xc2a7fdba4378dbff, 0xf9871a0ec8a3e853},
                       {ResizeFilter::bicubic, 100, 70, 0x45dbdf3ee48f9246, 0x3a0546b1f2f53033},
                       {ResizeFilter::bicubic, 5, 23, 0xe3910d89746ff13a, 0x75c8e565af7ca797},
                       {ResizeFilter::bicubic, 1, 1, 0x2fb0351ae174f154, 0xaf643f4c860294c5},
                       {ResizeFilter::lanczos, 16, 16, 0xa31119bcd91ce8c5, 0xd0ee21208c38d5b4},
                       {ResizeFilter::lanczos, 100, 70, 0x568ad339ec74592c, 0x4b1285e501de4cd},
                       {ResizeFilter::lanczos, 5, 23, 0x4e3caf5762ec0b86, 0x841230ca83a8d4f1},
                       {ResizeFilter::lanczos, 1, 1, 0x2fb0351ae174f154, 0xaf643f4c860294c5},
                       {ResizeFilter::nearest, 16, 16, 0xedf2cb49637360a8, 0xc0e3cf6cccb18540},
                       {ResizeFilter::nearest, 100, 70, 0x99bc9b6136a04218, 0x98593564c4afcd69},
                       {ResizeFilter::nearest, 5, 23, 0x5060f3223260f481, 0xd0f2eccd57d9db7e},
                       {ResizeFilter::nearest, 1, 1, 0xded2fa1bd518defb, 0xaf63c34c8601c211}};
  for (const Facts& facts : all) {
    INFO(static_cast<int>(facts.filter) << ": " << facts.width << " x " << facts.height);
    CHECK(hash_of(resize_image(color, facts.width, facts.height, facts.filter)) == facts.color);
    CHECK(hash_of(resize_image(gray, facts.width, facts.height, facts.filter)) == facts.gray);
  }
}

TEST_CASE("the linear filter is within one of OpenCV's INTER_LINEAR") {
  const Image image = random_image(4, 3, 1);
  const auto check = [&](std::int64_t width, std::int64_t height, const std::vector<int>& wanted) {
    const Image found = resize_image(image, width, height, ResizeFilter::linear);
    REQUIRE(found.pixels.size() == wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      CHECK(std::abs(found.pixels[i] - wanted[i]) <= 1);
    }
  };
  check(6, 5, {108, 119, 136, 159, 131, 98, 146, 137, 134, 151, 110, 65, 203, 166, 130,
               139, 79,  16,  209, 145, 96, 156, 129, 88,  214, 132, 73, 167, 163, 137});
  check(3, 2, {131, 144, 91, 188, 124, 118});
  check(2, 1, {166, 79});
}

TEST_CASE("cropping takes the middle") {
  const Image image = random_image(5, 4, 1);
  const Image middle = crop_center(image, 2, 2);
  // Of 3 surplus columns, 2 are cut on the left: 1.5 rounds to the even 2.
  CHECK(middle.pixels[0] == image.pixels[5 + 2]);
  CHECK_THROWS_WITH(crop_center(image, 6, 2), Catch::Contains("6 x 2"));
}
