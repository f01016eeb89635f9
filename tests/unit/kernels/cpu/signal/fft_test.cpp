// Fourier transforms of every kind of length against direct sums.
#include "kernels/cpu/signal/fft.hpp"

#include <cmath>
#include <numbers>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/support/kernel_test.hpp"

namespace ortool::cpu {
namespace {

struct RandomValues {
  std::vector<double> real;
  std::vector<double> imaginary;
};

RandomValues random_numbers(std::int64_t count) {
  const auto floats = test::random_floats(2 * count, 5, -1.0F, 1.0F);
  const auto middle = floats.begin() + count;
  return {{floats.begin(), middle}, {middle, floats.end()}};
}

RandomValues reference_transform(const RandomValues& in) {
  const std::size_t count = in.real.size();
  RandomValues out = {std::vector<double>(count), std::vector<double>(count)};
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t t = 0; t < count; ++t) {
      const double angle =
          -2.0 * std::numbers::pi * static_cast<double>(k * t % count) / static_cast<double>(count);
      out.real[k] += in.real[t] * std::cos(angle) - in.imaginary[t] * std::sin(angle);
      out.imaginary[k] += in.real[t] * std::sin(angle) + in.imaginary[t] * std::cos(angle);
    }
  }
  return out;
}

RandomValues transform(RandomValues numbers) {
  const Fft fft(static_cast<std::int64_t>(numbers.real.size()));
  std::vector<double> table(static_cast<std::size_t>(fft.table_doubles()));
  std::vector<double> work(static_cast<std::size_t>(fft.work_doubles()));
  fft.fill_table(table.data());
  fft.run(table.data(), numbers.real.data(), numbers.imaginary.data(), work.data(), nullptr);
  return numbers;
}

void check_length(std::int64_t length) {
  const RandomValues in = random_numbers(length);
  const RandomValues exact = reference_transform(in);
  const RandomValues found = transform(in);
  double worst = 0;
  for (std::size_t k = 0; k < exact.real.size(); ++k) {
    worst = std::max(worst, std::abs(found.real[k] - exact.real[k]));
    worst = std::max(worst, std::abs(found.imaginary[k] - exact.imaginary[k]));
  }
  INFO("length " << length);
  CHECK(worst < 1e-13 * static_cast<double>(length + 10));
}

TEST_CASE("transforms of all short lengths agree with plain sums") {
  for (std::int64_t length = 1; length <= 140; ++length) check_length(length);
}

TEST_CASE("transforms of long lengths agree with plain sums") {
  for (const std::int64_t length : {256, 400, 512, 1000, 1009, 1024, 1021, 961, 2 * 331})
    check_length(length);
}

TEST_CASE("a constant has one frequency, to the last zeros") {
  const RandomValues found =
      transform({std::vector<double>(400, 1.0), std::vector<double>(400, 0.0)});
  CHECK(found.real[0] == 400.0);
  for (std::size_t k = 1; k < 400; ++k) {
    REQUIRE(std::abs(found.real[k]) < 1e-12);
    REQUIRE(std::abs(found.imaginary[k]) < 1e-12);
  }
}

}  // namespace
}  // namespace ortool::cpu
