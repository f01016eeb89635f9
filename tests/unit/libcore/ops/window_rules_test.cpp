// Sizes and pads of sliding windows, by hand-worked cases and hostile numbers.
#include "libcore/ops/window_rules.hpp"

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

TEST_CASE("a window of a size nobody knows passes dimensions it keeps") {
  const Dimensions in = {Dimension::symbol("height"), Dimension::symbol("width")};
  const Dimensions kernel = {3, 3};
  const Dimensions same = window_outputs({.strides = {1, 2}, .pads = {1, 1, 1, 1}}, in, kernel);
  CHECK(same[0] == in[0]);
  CHECK(same[1].is_unknown());
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
  CHECK_THROWS_AS(one({.strides = {1, 1}}, 10, 1), Error);
}

}  // namespace ortool
