// Output sizes and pads of sliding windows, by hand-worked cases and hostile numbers.
#include "libcore/ops/window_rules.hpp"

#include <limits>
#include <random>

#include <catch2/catch.hpp>

#include "libcore/base/error.hpp"

namespace ortool {
namespace {

WindowAxis one(const WindowAttributes& window, std::int64_t in, std::int64_t kernel) {
  const std::int64_t sizes[] = {in};
  const std::int64_t kernels[] = {kernel};
  return place_window(window, sizes, kernels).front();
}

WindowAxis one_transposed(const WindowAttributes& window, const TransposedWindow& transposed,
                          std::int64_t in, std::int64_t kernel) {
  const std::int64_t sizes[] = {in};
  const std::int64_t kernels[] = {kernel};
  return place_transposed_window(window, transposed, sizes, kernels).front();
}

}  // namespace

TEST_CASE("explicit pads give the sizes that Conv's documentation gives") {
  CHECK(one({.strides = {2}, .pads = {3, 3}}, 224, 7).out == 112);
  CHECK(one({.dilations = {2}}, 7, 3).out == 3);
  CHECK(one({}, 5, 5).out == 1);
  CHECK(one({}, 0, 5).out == 0);
  CHECK_THROWS_AS(one({}, 4, 5), Error);
}

TEST_CASE("automatic pads put the odd one where their name says") {
  CHECK(one({.auto_pad = AutoPad::same_upper, .strides = {2}}, 5, 2) ==
        WindowAxis{5, 3, 2, 2, 1, 0, 1});
  CHECK(one({.auto_pad = AutoPad::same_lower, .strides = {2}}, 5, 2) ==
        WindowAxis{5, 3, 2, 2, 1, 1, 0});
  CHECK(one({.auto_pad = AutoPad::valid, .pads = {4, 4}}, 5, 2) == WindowAxis{5, 4, 2, 1, 1, 0, 0});
}

TEST_CASE("ceil_mode leaves out a window that would start in the pads behind") {
  CHECK(one({.strides = {2}, .ceil_mode = true}, 4, 3).out == 2);
  CHECK(one({.strides = {2}, .ceil_mode = true}, 5, 3).out == 2);
  CHECK(one({.strides = {3}, .pads = {0, 1}, .ceil_mode = true}, 3, 1).out == 1);
  CHECK(one({.strides = {2}, .pads = {1, 1}, .ceil_mode = true}, 2, 1).out == 2);
}

TEST_CASE(
    "A pool's window that is wider than its image is placed as ONNX's shape inference divides") {
  const auto outputs = [](const WindowAttributes& window, std::int64_t in, std::int64_t kernel) {
    const std::int64_t sizes[] = {in};
    const std::int64_t kernels[] = {kernel};
    return place_window(window, sizes, kernels, WindowFit::beyond).front().out;
  };
  CHECK(outputs({.strides = {2}}, 1, 2) == 1);
  CHECK(outputs({.strides = {2}, .ceil_mode = true}, 1, 2) == 1);
  CHECK(outputs({.strides = {2}, .ceil_mode = true}, 1, 3) == 0);
  CHECK(outputs({.strides = {2}, .ceil_mode = true, .ceil_to_zero = true}, 1, 3) == 1);
  CHECK(outputs({.strides = {5}}, 2, 6) == 1);
  CHECK(outputs({.strides = {4}, .ceil_mode = true}, 2, 7) == 0);
  CHECK(outputs({.strides = {4}, .ceil_mode = true, .ceil_to_zero = true}, 2, 7) == 1);
  CHECK(outputs({.strides = {2}}, 2, 5) == 0);
  CHECK(outputs({.ceil_mode = true}, 1, 2) == 0);
  CHECK(outputs({.strides = {2}}, 0, 2) == 0);
  CHECK_THROWS_AS(outputs({}, 1, 3), Error);
}

TEST_CASE("formulas for sizes that are symbols agree with numbers") {
  const auto seed = std::random_device()();
  INFO("seed " << seed);
  std::mt19937 random(seed);
  const auto number = [&](int low, int high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  const Dimensions length = {Dimension::symbol("length")};
  for (int i = 0; i < 500; ++i) {
    const WindowAttributes window = {.auto_pad = static_cast<AutoPad>(number(0, 3)),
                                     .strides = {number(1, 4)},
                                     .dilations = {number(1, 3)},
                                     .pads = {number(0, 4), number(0, 4)},
                                     .ceil_mode = number(0, 1) == 1};
    const TransposedWindow transposed = {.output_padding = {number(0, 2)}};
    const std::int64_t kernel = number(1, 4);
    const Dimension forth = window_outputs(window, length, Dimensions{kernel}).front();
    const Dimension back =
        transposed_window_outputs(window, transposed, length, Dimensions{kernel}).front();
    // Long enough for every window, short enough for pads to matter.
    for (std::int64_t size = 12; size < 24; ++size) {
      INFO("size " << size << ", kernel " << kernel << ", stride " << window.strides[0]
                   << ", dilation " << window.dilations[0] << ", pads " << window.pads[0] << " "
                   << window.pads[1] << ", auto_pad " << static_cast<int>(window.auto_pad)
                   << ", ceil_mode " << window.ceil_mode << ": " << forth.to_string());
      const SymbolMap symbols = {{"length", size}};
      CHECK(substitute(forth, symbols) == Dimension(one(window, size, kernel).out));
      CHECK(substitute(back, symbols) ==
            Dimension(one_transposed(window, transposed, size, kernel).out));
    }
  }
}

TEST_CASE("a window whose own size is a symbol gives a formula, one of unknown size none") {
  const Dimensions in = {10};
  const Dimensions kernel = {Dimension::symbol("k")};
  CHECK(window_outputs({.strides = {2}}, in, kernel).front().to_string() == "-k + floor(k/2) + 6");
  const Dimensions unknown = {Dimension::unknown_because("n")};
  CHECK(window_outputs({}, in, unknown).front().cause() == "n");
}

TEST_CASE("transposed windows work their pads out from the size asked for") {
  CHECK(one_transposed({.strides = {2}, .pads = {1, 1}}, {.output_padding = {1}}, 4, 3).out == 8);
  CHECK(one_transposed({.strides = {3}}, {.output_shape = {10}}, 3, 3) ==
        WindowAxis{3, 10, 3, 3, 1, 0, 0});
  CHECK(one_transposed({.strides = {2}}, {.output_shape = {8}}, 5, 2) ==
        WindowAxis{5, 8, 2, 2, 1, 1, 1});
  CHECK(one_transposed({.auto_pad = AutoPad::same_upper, .strides = {2}}, {}, 4, 3) ==
        WindowAxis{4, 8, 3, 2, 1, 0, 1});
  CHECK(one_transposed({.auto_pad = AutoPad::same_lower, .strides = {2}}, {}, 4, 3) ==
        WindowAxis{4, 8, 3, 2, 1, 1, 0});
  CHECK_THROWS_AS(one_transposed({.pads = {2, 2}}, {}, 1, 3), Error);
}

TEST_CASE("numbers as big as attributes may be neither overflow nor pass") {
  constexpr std::int64_t big = std::int64_t{1} << 31;
  CHECK_THROWS_AS(one({.dilations = {big}}, 10, big), Error);
  CHECK(one({.strides = {big}, .pads = {big, big}}, 10, 1).out == 3);
  CHECK_THROWS_AS(one_transposed({.strides = {big}}, {}, big, 3), Error);
  CHECK_THROWS_AS(one({}, 10, big + 1), Error);
  CHECK_THROWS_AS(one({}, std::numeric_limits<std::int64_t>::max(), 1), Error);
  CHECK_THROWS_AS(one_transposed({}, {}, std::numeric_limits<std::int64_t>::max(), 1), Error);
  CHECK_THROWS_AS(one({.strides = {1, 1}}, 10, 1), Error);
}

}  // namespace ortool
