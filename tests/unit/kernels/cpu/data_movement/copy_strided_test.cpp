// Strided copies, padding and gathering against index arithmetic, element by element.
#include "kernels/cpu/data_movement/copy_strided.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "kernels/cpu/data_movement/gather.hpp"
#include "kernels/cpu/data_movement/pad.hpp"
#include "libcore/base/error.hpp"
#include "tests/support/kernel_test.hpp"

namespace ortool::cpu {
namespace {

using Shape = std::vector<std::int64_t>;

std::int64_t count_of(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

std::vector<std::uint8_t> random_bytes(std::int64_t count, std::uint32_t seed) {
  return test::random_integers<std::uint8_t>(count, seed, 0, 255);
}

/// Calls body(coordinates, position) for every element of `shape` in order.
template <typename Body>
void for_each_coordinate(const Shape& shape, Body body) {
  const std::int64_t count = count_of(shape);
  for (std::int64_t at = 0; at < count; ++at) {
    Shape coordinates(shape.size());
    std::int64_t rest = at;
    for (std::size_t i = shape.size(); i-- > 0;) {
      coordinates[i] = rest % shape[i];
      rest /= shape[i];
    }
    body(coordinates, at);
  }
}

std::int64_t offset_of(const Shape& coordinates, const Shape& shape) {
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < shape.size(); ++i) offset = offset * shape[i] + coordinates[i];
  return offset;
}

bool same_element(const std::vector<std::uint8_t>& a, std::int64_t at_a,
                  const std::vector<std::uint8_t>& b, std::int64_t at_b, std::int64_t bytes) {
  return std::memcmp(a.data() + at_a * bytes, b.data() + at_b * bytes,
                     static_cast<std::size_t>(bytes)) == 0;
}

TEST_CASE("transpose moves every element for random shapes, permutations and element sizes") {
  constexpr std::uint32_t seed = 77;
  std::mt19937 engine(seed);
  INFO("seed " << seed);
  std::vector<Shape> shapes = {{},          {7},        {0, 3}, {37, 53}, {1, 100, 12, 64},
                               {3, 70, 70}, {130, 4, 3}};
  for (int i = 0; i < 40; ++i) {
    Shape shape(engine() % 5 + 1);
    for (auto& size : shape) size = static_cast<std::int64_t>(engine() % 9 + 1);
    shapes.push_back(shape);
  }
  ThreadPool pool(2);
  Workers workers(pool, 2);
  for (const Shape& shape : shapes) {
    Shape permutation(shape.size());
    std::iota(permutation.begin(), permutation.end(), 0);
    std::shuffle(permutation.begin(), permutation.end(), engine);
    if (shape.size() == 2) permutation = {1, 0};
    if (shape.size() == 3 && shape[0] == 3) permutation = {2, 1, 0};
    Shape out_shape;
    for (const std::int64_t from : permutation) {
      out_shape.push_back(shape[static_cast<std::size_t>(from)]);
    }
    for (const std::int64_t bytes : {1, 2, 4, 8, 16}) {
      const auto in = random_bytes(count_of(shape) * bytes, 5);
      std::vector<std::uint8_t> out(in.size());
      transpose(in.data(), out.data(), shape, permutation, bytes, workers);
      bool is_right = true;
      for_each_coordinate(out_shape, [&](const Shape& coordinates, std::int64_t at) {
        Shape source(shape.size());
        for (std::size_t i = 0; i < shape.size(); ++i) {
          source[static_cast<std::size_t>(permutation[i])] = coordinates[i];
        }
        is_right = is_right && same_element(in, offset_of(source, shape), out, at, bytes);
      });
      CHECK(is_right);
    }
  }
}

TEST_CASE("slices with any step, and repeated elements, are strided copies") {
  const Shape shape = {9, 10, 11};
  const auto in = random_bytes(count_of(shape) * 4, 6);
  Workers workers;
  // in[8:1:-3, :, 10:0:-2], then a copy that repeats the middle axis.
  const Shape sizes = {3, 10, 5};
  const Shape strides = {-330, 11, -2};
  std::vector<std::uint8_t> out(3 * 10 * 5 * 4);
  const std::int64_t first = 8 * 110 + 10;
  copy_strided(in.data() + first * 4, out.data(), sizes, strides, 4, workers);
  for_each_coordinate(sizes, [&](const Shape& c, std::int64_t at) {
    CHECK(same_element(in, first - c[0] * 330 + c[1] * 11 - c[2] * 2, out, at, 4));
  });
  const Shape repeated = {9, 4, 11};
  const Shape with_zero = {110, 0, 1};
  std::vector<std::uint8_t> wide(9 * 4 * 11 * 4);
  copy_strided(in.data(), wide.data(), repeated, with_zero, 4, workers);
  for_each_coordinate(repeated, [&](const Shape& c, std::int64_t at) {
    CHECK(same_element(in, c[0] * 110 + c[2], wide, at, 4));
  });
}

TEST_CASE("tile repeats, and depth and space change places and back") {
  Workers workers;
  const Shape shape = {2, 3};
  const Shape repeats = {2, 3};
  const auto in = random_bytes(6 * 2, 1);
  std::vector<std::uint8_t> out(36 * 2);
  tile(in.data(), out.data(), shape, repeats, 2, workers);
  for_each_coordinate({4, 9}, [&](const Shape& c, std::int64_t at) {
    CHECK(same_element(in, c[0] % 2 * 3 + c[1] % 3, out, at, 2));
  });

  const std::array<std::int64_t, 4> deep = {2, 12, 3, 5};
  const std::array<std::int64_t, 4> flat = {2, 3, 6, 10};
  const auto image = random_bytes(2 * 12 * 15 * 4, 2);
  std::vector<std::uint8_t> space(image.size());
  std::vector<std::uint8_t> back(image.size());
  depth_to_space(image.data(), space.data(), deep, 2, DepthOrder::depth_column_row, 4, workers);
  for_each_coordinate({2, 3, 6, 10}, [&](const Shape& c, std::int64_t at) {
    const std::int64_t channel = (c[2] % 2 * 2 + c[3] % 2) * 3 + c[1];
    CHECK(same_element(image, ((c[0] * 12 + channel) * 3 + c[2] / 2) * 5 + c[3] / 2, space, at, 4));
  });
  space_to_depth(space.data(), back.data(), flat, 2, 4, workers);
  CHECK(back == image);
  depth_to_space(image.data(), space.data(), deep, 2, DepthOrder::column_row_depth, 4, workers);
  for_each_coordinate({2, 3, 6, 10}, [&](const Shape& c, std::int64_t at) {
    const std::int64_t channel = c[1] * 4 + c[2] % 2 * 2 + c[3] % 2;
    CHECK(same_element(image, ((c[0] * 12 + channel) * 3 + c[2] / 2) * 5 + c[3] / 2, space, at, 4));
  });
}

TEST_CASE("rows are copied between strides") {
  const auto in = random_bytes(5 * 7, 3);
  std::vector<std::uint8_t> out(5 * 11, 42);
  Workers workers;
  copy_rows(in.data(), 7, out.data() + 2, 11, 7, 5, workers);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t column = i % 11;
    const bool is_inside = column >= 2 && column < 9;
    CHECK(out[i] == (is_inside ? in[i / 11 * 7 + column - 2] : 42));
  }
}

TEST_CASE("padding in every mode, with negative pads too") {
  Workers workers;
  const std::vector<std::int32_t> in = {1, 2, 3};
  const std::int32_t fill = 9;
  const auto padded = [&](std::int64_t before, std::int64_t after, PadMode mode) {
    const Shape shape = {3};
    const Shape first = {before};
    const Shape last = {after};
    std::vector<std::int32_t> out(static_cast<std::size_t>(3 + before + after));
    PadPlan(shape, first, last, mode, 4).run(in.data(), out.data(), &fill, workers);
    return out;
  };
  using Values = std::vector<std::int32_t>;
  CHECK(padded(2, 1, PadMode::constant) == Values{9, 9, 1, 2, 3, 9});
  CHECK(padded(-1, 1, PadMode::constant) == Values{2, 3, 9});
  CHECK(padded(2, 1, PadMode::edge) == Values{1, 1, 1, 2, 3, 3});
  CHECK(padded(2, 3, PadMode::reflect) == Values{3, 2, 1, 2, 3, 2, 1, 2});
  CHECK(padded(2, 4, PadMode::wrap) == Values{2, 3, 1, 2, 3, 1, 2, 3, 1});
  CHECK(padded(-3, 0, PadMode::edge).empty());

  const Shape shape = {2, 2};
  const Shape before = {1, 0};
  const Shape after = {0, 1};
  const std::int64_t square[] = {1, 2, 3, 4};
  const std::int64_t zero = 0;
  std::vector<std::int64_t> out(9);
  PadPlan(shape, before, after, PadMode::constant, 8).run(square, out.data(), &zero, workers);
  CHECK(out == std::vector<std::int64_t>{0, 0, 0, 1, 2, 0, 3, 4, 0});
  const Shape empty = {0};
  const Shape one = {1};
  CHECK_THROWS_AS(PadPlan(empty, one, one, PadMode::edge, 4), Error);
}

TEST_CASE("padding leaves dimensions without pads as they are in every mode") {
  Workers workers;
  const Shape shape = {2, 3, 2, 4};
  const Shape before = {0, 2, 0, 0};
  const Shape after = {0, 1, 0, 0};
  const auto in = random_bytes(48 * 2, 5);
  const std::uint8_t fill[] = {1, 2};
  const std::pair<PadMode, std::array<std::int64_t, 6>> modes[] = {
      {PadMode::constant, {-1, -1, 0, 1, 2, -1}},
      {PadMode::edge, {0, 0, 0, 1, 2, 2}},
      {PadMode::reflect, {2, 1, 0, 1, 2, 1}},
      {PadMode::wrap, {1, 2, 0, 1, 2, 0}}};
  for (const auto& [mode, sources] : modes) {
    std::vector<std::uint8_t> out(96 * 2);
    PadPlan(shape, before, after, mode, 2).run(in.data(), out.data(), fill, workers);
    for_each_coordinate({2, 6, 2, 4}, [&](const Shape& c, std::int64_t at) {
      const std::int64_t source = sources[static_cast<std::size_t>(c[1])];
      if (source < 0) {
        CHECK(std::memcmp(out.data() + at * 2, fill, 2) == 0);
      } else {
        CHECK(same_element(in, ((c[0] * 3 + source) * 2 + c[2]) * 4 + c[3], out, at, 2));
      }
    });
  }
}

TEST_CASE("gather picks slices and refuses an index outside") {
  Workers workers;
  const auto in = random_bytes(2 * 5 * 3, 4);
  const std::vector<std::int64_t> indices = {4, -5, 0, -1};
  std::vector<std::uint8_t> out(2 * 4 * 3);
  gather<std::int64_t>(in.data(), indices, out.data(), {2, 5, 3}, 1, workers);
  for_each_coordinate({2, 4, 3}, [&](const Shape& c, std::int64_t at) {
    const std::int64_t index = indices[static_cast<std::size_t>(c[1])];
    const std::int64_t row = index < 0 ? index + 5 : index;
    CHECK(same_element(in, (c[0] * 5 + row) * 3 + c[2], out, at, 1));
  });
  for (const std::int32_t wrong : {5, -6, std::numeric_limits<std::int32_t>::min()}) {
    const std::vector<std::int32_t> list = {0, wrong};
    CHECK_THROWS_WITH(gather<std::int32_t>(in.data(), list, out.data(), {2, 5, 3}, 1, workers),
                      Catch::Contains("position 1"));
  }
}

TEST_CASE("gather by elements and by coordinates") {
  Workers workers;
  const std::int32_t in[] = {0, 1, 2, 3, 4, 5};
  const Shape shape = {2, 3};
  const std::int64_t indices[] = {2, 0, -1, 1};
  const Shape index_shape = {2, 2};
  std::int32_t out[4];
  gather_elements(in, indices, out, ElementPlaces(shape, index_shape, 1), 4, workers);
  CHECK(std::vector<std::int32_t>(out, out + 4) == std::vector<std::int32_t>{2, 0, 5, 4});
  const std::int64_t coordinates[] = {1, 2, 0, -1};
  gather_nd(in, shape, coordinates, 2, 2, 0, out, 4, workers);
  CHECK(out[0] == 5);
  CHECK(out[1] == 2);
  gather_nd(in, shape, indices + 3, 1, 1, 0, out, 4, workers);
  CHECK(std::vector<std::int32_t>(out, out + 3) == std::vector<std::int32_t>{3, 4, 5});
  const std::int64_t per_batch[] = {2, 1};
  gather_nd(in, shape, per_batch, 2, 1, 1, out, 4, workers);
  CHECK(out[0] == 2);
  CHECK(out[1] == 4);
  const std::int64_t outside[] = {0, 3};
  CHECK_THROWS_AS(gather_nd(in, shape, outside, 1, 2, 0, out, 4, workers), Error);
}

}  // namespace
}  // namespace ortool::cpu
