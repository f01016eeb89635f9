// Delay loading: first calls by several threads, and what the table of functions holds.
#include "libcore/base/delay_loading.hpp"

#include <cstring>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

#include "libcore/io/encode_image.hpp"
#include "libcore/io/image.hpp"

namespace ortool {
namespace {

/// A picture whose pixels all differ.
std::vector<std::uint8_t> gradient(std::int64_t height, std::int64_t width) {
  std::vector<std::uint8_t> pixels;
  for (std::int64_t i = 0; i < height * width * 3; ++i)
    pixels.push_back(static_cast<std::uint8_t>(i * 7 % 251));
  return pixels;
}

}  // namespace

TEST_CASE("delay-loaded functions work from several threads at once", "[delay_loading]") {
  const std::vector<std::uint8_t> pixels = gradient(9, 13);
  std::vector<int> are_right(8);
  std::vector<std::thread> threads;
  for (int& is_right : are_right) {
    threads.emplace_back([&] {
      const EncodedImage file = encode_png(pixels, 9, 13);
      const Image image = decode_image_bytes(std::as_bytes(std::span(file.bytes.get(), file.size)));
      is_right = image.pixels == pixels ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const int is_right : are_right) CHECK(is_right == 1);
}

TEST_CASE("every name of the table of delay-loaded functions has a library", "[delay_loading]") {
  const DelayLoadTable& table = delay_load_table();
  CHECK(std::strlen(table.names[0]) > 0);
  CHECK(std::string(table.sonames[table.library_numbers[0]]).find(".so.") != std::string::npos);
}

}  // namespace ortool
