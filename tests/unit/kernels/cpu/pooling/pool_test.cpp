// Tests pooling at every ISA level and type against reference loops.
#include "kernels/cpu/pooling/pool.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include <catch2/catch.hpp>

#include "tests/unit/kernels/cpu/kernel_test_support.hpp"
#include "tests/unit/kernels/cpu/window_test_support.hpp"

namespace ortool::cpu {
namespace {

using test::product;
using test::RandomValues;

void pick_axis(RandomValues& numbers, PoolSizes& sizes, int axis) {
  sizes.kernel[axis] = numbers.between(1, 6);
  sizes.stride[axis] = numbers.between(1, 3);
  sizes.dilation[axis] = numbers.between(1, 4) == 4 ? 2 : 1;
  const std::int64_t reach = (sizes.kernel[axis] - 1) * sizes.dilation[axis] + 1;
  sizes.pad_begin[axis] = numbers.between(0, sizes.kernel[axis] - 1);
  sizes.pad_end[axis] = numbers.between(0, sizes.kernel[axis] - 1);
  sizes.in[axis] = numbers.between(reach, reach + 40);
  const std::int64_t room = sizes.in[axis] + sizes.pad_begin[axis] + sizes.pad_end[axis] - reach;
  const bool rounds_up = numbers.flip();
  sizes.out[axis] = room / sizes.stride[axis] + 1;
  if (!rounds_up || room % sizes.stride[axis] == 0) return;
  // A window that would start in the end padding is dropped.
  if (sizes.out[axis] * sizes.stride[axis] < sizes.in[axis] + sizes.pad_begin[axis]) {
    ++sizes.out[axis];
  }
}

PoolSizes random_sizes(RandomValues& numbers) {
  PoolSizes sizes;
  sizes.planes = numbers.between(1, 5);
  const std::int64_t rank = numbers.between(1, 3);
  for (std::int64_t axis = 3 - rank; axis < 3; ++axis) {
    pick_axis(numbers, sizes, static_cast<int>(axis));
  }
  return sizes;
}

/// Calls `visit(offset in x)` for each pixel of a window that lies in the image; returns the number
/// of those in the image or the padding.
template <typename Visit>
std::int64_t visit_window(const PoolSizes& s, std::int64_t plane, std::int64_t out, Visit&& visit) {
  const std::int64_t at[3] = {out / s.out[2] / s.out[1], out / s.out[2] % s.out[1], out % s.out[2]};
  std::int64_t padded = 0;
  for (std::int64_t k = 0; k < product(s.kernel); ++k) {
    const std::int64_t kernel[3] = {k / s.kernel[2] / s.kernel[1], k / s.kernel[2] % s.kernel[1],
                                    k % s.kernel[2]};
    std::int64_t offset = plane;
    bool in_image = true;
    bool in_padding = true;
    for (int axis = 0; axis < 3; ++axis) {
      const std::int64_t place =
          at[axis] * s.stride[axis] - s.pad_begin[axis] + kernel[axis] * s.dilation[axis];
      in_image = in_image && place >= 0 && place < s.in[axis];
      in_padding = in_padding && place < s.in[axis] + s.pad_end[axis];
      offset = offset * s.in[axis] + place;
    }
    if (in_padding) ++padded;
    if (in_image) visit(offset);
  }
  return padded;
}

template <typename T>
std::vector<T> numbers_of(RandomValues& numbers, std::int64_t count) {
  std::vector<T> values;
  for (std::int64_t i = 0; i < count; ++i) {
    values.push_back(static_cast<T>(numbers.between(0, 100) - (std::is_signed_v<T> ? 50 : 0)));
  }
  return values;
}

template <typename T>
void check_max(RandomValues& numbers, const PoolSizes& sizes, bool with_nan) {
  std::vector<T> x = numbers_of<T>(numbers, sizes.planes * product(sizes.in));
  if constexpr (std::is_floating_point_v<T>) {
    if (with_nan) {
      for (std::size_t i = 0; i < x.size(); i += 17) x[i] = std::numeric_limits<T>::quiet_NaN();
    }
  }
  const std::int64_t pixels = product(sizes.out);
  const auto count = static_cast<std::size_t>(sizes.planes * pixels);
  std::vector<T> expected(count);
  std::vector<std::int64_t> places(count, -1);
  for (std::size_t i = 0; i < count; ++i) {
    const auto out = static_cast<std::int64_t>(i);
    visit_window(sizes, out / pixels, out % pixels, [&](std::int64_t offset) {
      const T value = x[static_cast<std::size_t>(offset)];
      const bool is_better =
          places[i] < 0 || value > expected[i] || (value != value && expected[i] == expected[i]);
      if (!is_better) return;
      expected[i] = value;
      places[i] = offset;
    });
  }
  for (const Isa isa : test::isas_here()) {
    for (const int threads : {1, 3}) {
      CAPTURE(isa_name(isa), threads);
      ThreadPool pool(threads);
      Workers workers(pool, threads);
      for (const bool column_major : {false, true}) {
        std::vector<T> y(count);
        std::vector<std::int64_t> indices(count);
        max_pool(sizes, x.data(), y.data(), indices.data(), column_major, isa, workers);
        std::vector<T> alone(count);
        max_pool(sizes, x.data(), alone.data(), nullptr, false, isa, workers);
        for (std::size_t i = 0; i < count; ++i) {
          if (places[i] < 0) continue;
          const bool same = y[i] == expected[i] || (y[i] != y[i] && expected[i] != expected[i]);
          const bool same_alone =
              alone[i] == expected[i] || (alone[i] != alone[i] && expected[i] != expected[i]);
          if (!same || !same_alone) FAIL("a maximum is wrong at " << i);
          std::int64_t place = places[i];
          if (column_major) {
            const std::int64_t size = product(sizes.in);
            const std::int64_t within = place % size;
            const std::int64_t column = within % sizes.in[2];
            const std::int64_t row = within / sizes.in[2] % sizes.in[1];
            const std::int64_t depth = within / sizes.in[2] / sizes.in[1];
            place = place / size * size + depth + sizes.in[0] * (row + sizes.in[1] * column);
          }
          if (indices[i] != place) FAIL("an index is wrong at " << i);
        }
      }
    }
  }
}

template <typename T>
void check_average(RandomValues& numbers, const PoolSizes& sizes) {
  const std::vector<T> x = numbers_of<T>(numbers, sizes.planes * product(sizes.in));
  const std::int64_t pixels = product(sizes.out);
  for (const bool counts_padding : {false, true}) {
    for (const Isa isa : test::isas_here()) {
      for (const int threads : {1, 3}) {
        CAPTURE(counts_padding, isa_name(isa), threads);
        ThreadPool pool(threads);
        Workers workers(pool, threads);
        std::vector<T> y(static_cast<std::size_t>(sizes.planes * pixels));
        average_pool(sizes, counts_padding, x.data(), y.data(), isa, workers);
        for (std::size_t i = 0; i < y.size(); ++i) {
          const auto out = static_cast<std::int64_t>(i);
          double sum = 0;
          std::int64_t inside = 0;
          const std::int64_t padded =
              visit_window(sizes, out / pixels, out % pixels, [&](std::int64_t offset) {
                sum += static_cast<double>(x[static_cast<std::size_t>(offset)]);
                ++inside;
              });
          const std::int64_t divisor = counts_padding ? padded : inside;
          const double expected = divisor == 0 ? 0.0 : sum / static_cast<double>(divisor);
          if (!(std::fabs(expected - static_cast<double>(y[i])) <= 1e-4)) {
            FAIL("a mean is wrong at " << i << ": " << y[i] << ", expected " << expected);
          }
        }
      }
    }
  }
}

TEST_CASE("MaxPool finds the largest pixel of each window and its place", "[pool]") {
  const std::uint32_t seed = 20271;
  CAPTURE(seed);
  RandomValues numbers(seed);
  for (int round = 0; round < 25; ++round) {
    const PoolSizes sizes = random_sizes(numbers);
    CAPTURE(sizes.planes, sizes.in, sizes.out, sizes.kernel, sizes.stride, sizes.dilation,
            sizes.pad_begin, sizes.pad_end);
    check_max<float>(numbers, sizes, round % 2 == 1);
    check_max<double>(numbers, sizes, round % 2 == 1);
    check_max<std::int8_t>(numbers, sizes, false);
    check_max<std::uint8_t>(numbers, sizes, false);
  }
}

TEST_CASE("MaxPool of wide rows is pooled in pieces", "[pool]") {
  const std::uint32_t seed = 20272;
  CAPTURE(seed);
  RandomValues numbers(seed);
  for (const std::int64_t kernel : {2, 3, 2500}) {
    for (const std::int64_t stride : {1, 2}) {
      PoolSizes sizes;
      sizes.planes = 2;
      sizes.in[2] = 6001;
      sizes.kernel[2] = kernel;
      sizes.stride[2] = stride;
      sizes.pad_begin[2] = 1;
      sizes.out[2] = (6001 + 1 - kernel) / stride + 1;
      check_max<float>(numbers, sizes, true);
    }
  }
}

TEST_CASE("MaxPool of large windows pools rows of many planes and of tall ones", "[pool]") {
  const std::uint32_t seed = 20273;
  CAPTURE(seed);
  RandomValues numbers(seed);
  for (const std::int64_t width : {3, 13, 20, 300, 700}) {
    for (const std::int64_t kernel : {5, 9, 13}) {
      PoolSizes sizes;
      sizes.planes = 3;
      sizes.in[1] = 71;
      sizes.in[2] = width;
      for (int axis = 1; axis < 3; ++axis) {
        sizes.kernel[axis] = kernel;
        sizes.pad_begin[axis] = sizes.pad_end[axis] = kernel / 2;
        sizes.out[axis] = sizes.in[axis];
      }
      CAPTURE(width, kernel);
      check_max<float>(numbers, sizes, false);
    }
  }
}

TEST_CASE("Pools without an output row write nothing", "[pool]") {
  PoolSizes sizes;
  sizes.planes = 4;
  sizes.in[2] = 9;
  sizes.kernel[1] = 5;
  sizes.kernel[2] = 2;
  sizes.stride[1] = sizes.stride[2] = 2;
  sizes.out[1] = 0;
  sizes.out[2] = 5;
  const std::vector<float> x(36, 1.0F);
  float untouched = 7.0F;
  Workers alone;
  for (const Isa isa : test::isas_here()) {
    CAPTURE(isa_name(isa));
    max_pool(sizes, x.data(), &untouched, nullptr, false, isa, alone);
    average_pool(sizes, true, x.data(), &untouched, isa, alone);
  }
  CHECK(untouched == 7.0F);
}

TEST_CASE("AveragePool takes the mean with and without the padding", "[pool]") {
  const std::uint32_t seed = 20273;
  CAPTURE(seed);
  RandomValues numbers(seed);
  for (int round = 0; round < 25; ++round) {
    const PoolSizes sizes = random_sizes(numbers);
    CAPTURE(sizes.planes, sizes.in, sizes.out, sizes.kernel, sizes.stride, sizes.dilation,
            sizes.pad_begin, sizes.pad_end);
    check_average<float>(numbers, sizes);
    check_average<double>(numbers, sizes);
  }
}

TEST_CASE("Global pooling takes a whole plane", "[pool]") {
  const std::uint32_t seed = 20274;
  CAPTURE(seed);
  RandomValues numbers(seed);
  for (const std::int64_t pixels : {1, 2, 49, 63, 64, 65, 200, 1000}) {
    CAPTURE(pixels);
    const std::int64_t planes = 5;
    const std::vector<float> x = numbers.floats(planes * pixels);
    for (const Isa isa : test::isas_here()) {
      Workers workers;
      float means[5];
      float most[5];
      global_average_pool(planes, pixels, x.data(), means, isa, workers);
      global_max_pool(planes, pixels, x.data(), most, isa, workers);
      for (std::int64_t plane = 0; plane < planes; ++plane) {
        const auto begin = x.begin() + plane * pixels;
        double sum = 0;
        for (auto at = begin; at != begin + pixels; ++at) sum += *at;
        REQUIRE(std::fabs(means[plane] - sum / static_cast<double>(pixels)) < 1e-6);
        REQUIRE(most[plane] == *std::max_element(begin, begin + pixels));
      }
      std::vector<float> with_nan = x;
      with_nan.back() = std::numeric_limits<float>::quiet_NaN();
      global_max_pool(planes, pixels, with_nan.data(), most, isa, workers);
      REQUIRE(std::isnan(most[4]));
      REQUIRE_FALSE(std::isnan(most[3]));
    }
  }
}

/// 64 partial sums, reduced by halving.
float sum_by_halves(const float* in, std::int64_t count) {
  float sums[64] = {};
  for (std::int64_t i = 0; i < count; ++i) sums[i % 64] += in[i];
  for (int half = 32; half > 0; half /= 2) {
    for (int i = 0; i < half; ++i) sums[i] += sums[i + half];
  }
  return sums[0];
}

TEST_CASE("Global means are summed up in the same order on each level", "[pool]") {
  const std::uint32_t seed = 20275;
  CAPTURE(seed);
  RandomValues numbers(seed);
  for (std::int64_t pixels = 1; pixels < 200; ++pixels) {
    CAPTURE(pixels);
    const std::vector<float> x = numbers.floats(pixels);
    const float expected = sum_by_halves(x.data(), pixels) / static_cast<float>(pixels);
    for (const Isa isa : test::isas_here()) {
      Workers workers;
      float mean = 0;
      global_average_pool(1, pixels, x.data(), &mean, isa, workers);
      REQUIRE(std::memcmp(&mean, &expected, sizeof mean) == 0);
    }
  }
}

}  // namespace
}  // namespace ortool::cpu
