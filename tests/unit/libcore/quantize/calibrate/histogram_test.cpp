// Histograms: large tensors are counted as small ones are, and errors by sums over bins are those
// of a pass over them.
#include "libcore/quantize/calibrate/histogram.hpp"

#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

#include "libcore/quantize/calibrate/histogram_error.hpp"
#include "tests/support/session_support.hpp"

namespace ortool {
namespace {

/// Numbers of many magnitudes and both signs, with zeros, in no whole number of vectors.
std::vector<float> many_numbers() {
  const Tensor random = random_tensor({200003}, 5);
  std::vector<float> numbers(random.data<float>().begin(), random.data<float>().end());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i % 3 == 0) numbers[i] = 0;
    if (i % 7 == 0) numbers[i] = -0.0F;
    if (i % 5 == 0) numbers[i] *= 1e-4F;
    if (i % 11 == 0) numbers[i] = std::copysign(1e-40F, numbers[i]);
  }
  numbers[70000] = 300;
  return numbers;
}

bool is_same(const Histogram& a, const Histogram& b) {
  const std::vector<Histogram::Bin> left = a.bins();
  const std::vector<Histogram::Bin> right = b.bins();
  return a.zeros() == b.zeros() && std::equal(left.begin(), left.end(), right.begin(), right.end(),
                                              [](const Histogram::Bin& x, const Histogram::Bin& y) {
                                                return x.low == y.low && x.high == y.high &&
                                                       x.count == y.count;
                                              });
}

TEST_CASE("a large tensor is counted like its parts") {
  std::vector<float> numbers = many_numbers();
  const auto compare = [&] {
    Histogram whole;
    whole.add(numbers);
    Histogram parts;
    for (std::size_t i = 0; i < numbers.size(); i += 1000)
      parts.add(std::span(numbers).subspan(i, std::min<std::size_t>(1000, numbers.size() - i)));
    CHECK(is_same(whole, parts));
    return whole.count();
  };
  CHECK(compare() == 200003);
  numbers[9] = std::numeric_limits<float>::quiet_NaN();
  numbers[150000] = -std::numeric_limits<float>::infinity();
  CHECK(compare() == 200001);
  Histogram zeros;
  zeros.add(std::vector<float>(5000));
  CHECK(zeros.zeros() == 5000);
  CHECK(zeros.bins().size() == 1);
}

TEST_CASE("errors by sums over bins are those of a pass over the bins") {
  const std::vector<float> numbers = many_numbers();
  Histogram histogram;
  histogram.add(numbers);
  const std::vector<Histogram::Bin> bins = histogram.bins();
  const HistogramMoments moments(bins);
  for (const DataType type : {DataType::uint8, DataType::int8, DataType::uint4, DataType::int16}) {
    for (const bool is_symmetric : {false, true}) {
      for (const ValueRange range : {ValueRange{-1, 1}, {-0.2, 0.9}, {0, 300}, {-500, 2}}) {
        CAPTURE(name_of(type), is_symmetric, range.low, range.high);
        const QuantizationType quantized{type, is_symmetric, false};
        const Scale scale = choose_scale(range, quantized);
        const QuantizationError expected = expected_error(bins, scale, quantized);
        const QuantizationError found = moments.error(scale, quantized);
        CHECK(found.rounding == Approx(expected.rounding).epsilon(1e-6));
        CHECK(found.clipping == Approx(expected.clipping).epsilon(1e-6).margin(1e-6));
      }
    }
  }
}

}  // namespace
}  // namespace ortool
