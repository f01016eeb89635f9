// Image encoders: what the decoders make of their files.
#include "libcore/io/encode_image.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>

#include "libcore/base/error.hpp"
#include "libcore/io/image.hpp"

namespace ortool {
namespace {

/// Colors that change slowly over an image.
std::vector<std::uint8_t> gradient(std::int64_t height, std::int64_t width) {
  std::vector<std::uint8_t> pixels;
  for (std::int64_t y = 0; y < height; ++y) {
    for (std::int64_t x = 0; x < width; ++x) {
      pixels.push_back(static_cast<std::uint8_t>(x * 4));
      pixels.push_back(static_cast<std::uint8_t>(y * 5));
      pixels.push_back(static_cast<std::uint8_t>(255 - x - y));
    }
  }
  return pixels;
}

Image decoded(const EncodedImage& file) {
  return decode_image_bytes({reinterpret_cast<const std::byte*>(file.bytes.get()), file.size});
}

}  // namespace

TEST_CASE("a PNG file has the pixels that were encoded") {
  const std::vector<std::uint8_t> pixels = gradient(37, 51);
  const Image image = decoded(encode_png(pixels, 37, 51));
  CHECK(image.height == 37);
  CHECK(image.width == 51);
  CHECK(image.channels == 3);
  CHECK(image.pixels == pixels);
}

TEST_CASE("a JPEG file has colors near those that were encoded") {
  const std::vector<std::uint8_t> pixels = gradient(37, 51);
  const Image image = decoded(encode_jpeg(pixels, 37, 51));
  REQUIRE(image.pixels.size() == pixels.size());
  int most = 0;
  for (std::size_t i = 0; i < pixels.size(); ++i)
    most = std::max(most, std::abs(int{pixels[i]} - int{image.pixels[i]}));
  CHECK(most <= 12);
}

TEST_CASE("images without pixels or with too many are not encoded") {
  CHECK_THROWS_AS(encode_png({}, 0, 4), Error);
  CHECK_THROWS_AS(encode_jpeg({}, 4, 0), Error);
  CHECK_THROWS_AS(encode_jpeg({}, 1, 65501), Error);
  CHECK_THROWS_AS(encode_png({}, std::int64_t{1} << 32, std::int64_t{1} << 32), Error);
}

}  // namespace ortool
