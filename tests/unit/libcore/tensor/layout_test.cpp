// Sizes of tensors in blocked layouts, and conversion to plain layout.
#include "libcore/tensor/layout.hpp"

#include <cstring>
#include <vector>

#include <catch2/catch.hpp>

namespace ortool {
namespace {

TEST_CASE("Blocked layouts pad the channels, and bfloat16 takes two bytes an element") {
  const Shape shape({2, 17, 3});
  CHECK(stored_elements(shape, Layout::plain) == 102);
  CHECK(stored_elements(shape, Layout::blocked8) == 2 * 24 * 3);
  CHECK(stored_elements(shape, Layout::blocked16_bfloat16) == 2 * 32 * 3);
  CHECK(stored_bytes(DataType::float32, shape, Layout::plain) == 408);
  CHECK(stored_bytes(DataType::float32, shape, Layout::blocked16) == 4 * 192);
  CHECK(stored_bytes(DataType::float32, shape, Layout::blocked16_bfloat16) == 2 * 192);
  CHECK(stored_bytes(DataType::uint8, shape, Layout::blocked16) == 192);
}

TEST_CASE("Blocked tensors are copied to plain ones of their own type") {
  const Shape shape({2, 17, 3});
  const auto place = [](std::size_t image, std::size_t channel, std::size_t pixel) {
    return ((image * 2 + channel / 16) * 3 + pixel) * 16 + channel % 16;
  };
  std::vector<float> blocked(192, -1.0F);
  std::vector<std::uint16_t> narrow(192, 0xFFFF);
  std::vector<float> wanted;
  for (std::size_t image = 0; image < 2; ++image) {
    for (std::size_t channel = 0; channel < 17; ++channel) {
      for (std::size_t pixel = 0; pixel < 3; ++pixel) {
        // Held by bfloat16 exactly.
        const float value = static_cast<float>(wanted.size()) - 50.0F;
        wanted.push_back(value);
        blocked[place(image, channel, pixel)] = value;
        std::uint32_t bits = 0;
        std::memcpy(&bits, &value, sizeof bits);
        narrow[place(image, channel, pixel)] = static_cast<std::uint16_t>(bits >> 16U);
      }
    }
  }
  std::vector<float> plain(102);
  copy_to_plain(reinterpret_cast<const std::byte*>(blocked.data()), DataType::float32, shape,
                Layout::blocked16, reinterpret_cast<std::byte*>(plain.data()));
  CHECK(plain == wanted);
  std::vector<float> from_narrow(102);
  copy_to_plain(reinterpret_cast<const std::byte*>(narrow.data()), DataType::float32, shape,
                Layout::blocked16_bfloat16, reinterpret_cast<std::byte*>(from_narrow.data()));
  CHECK(from_narrow == wanted);
}

}  // namespace
}  // namespace ortool
