// Softmax against double precision, along every axis.
#include "kernels/cpu/normalization/softmax.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/support/kernel_test.hpp"

namespace ortool::cpu {
namespace {

std::size_t count_of(SoftmaxSizes sizes) {
  return static_cast<std::size_t>(sizes.outer * sizes.axis * sizes.inner);
}

std::vector<double> exact_softmax(SoftmaxKind kind, const std::vector<float>& in,
                                  SoftmaxSizes sizes) {
  std::vector<double> out(in.size());
  for (std::int64_t slice = 0; slice < sizes.outer * sizes.inner; ++slice) {
    const std::int64_t first = slice / sizes.inner * sizes.axis * sizes.inner + slice % sizes.inner;
    const auto at = [&](std::int64_t i) {
      return static_cast<std::size_t>(first + i * sizes.inner);
    };
    double maximum = -std::numeric_limits<double>::infinity();
    for (std::int64_t i = 0; i < sizes.axis; ++i) {
      maximum = std::max(maximum, static_cast<double>(in[at(i)]));
    }
    double sum = 0;
    for (std::int64_t i = 0; i < sizes.axis; ++i) {
      sum += std::exp(static_cast<double>(in[at(i)]) - maximum);
    }
    for (std::int64_t i = 0; i < sizes.axis; ++i) {
      const double shifted = static_cast<double>(in[at(i)]) - maximum;
      out[at(i)] =
          kind == SoftmaxKind::logarithms ? shifted - std::log(sum) : std::exp(shifted) / sum;
    }
  }
  return out;
}

const std::vector<SoftmaxSizes> all_sizes = {
    {0, 5, 1},    {3, 0, 1},     {3, 1, 1}, {5, 7, 1},  {4, 16, 1},  {4, 33, 1},    {130, 128, 1},
    {2, 1000, 1}, {1, 50001, 1}, {2, 5, 3}, {3, 4, 16}, {2, 9, 100}, {1, 3, 70003}, {2, 3, 0}};

TEST_CASE("softmax and log-softmax agree with double precision for any axis") {
  for (const SoftmaxSizes sizes : all_sizes) {
    const auto in =
        test::random_floats(static_cast<std::int64_t>(count_of(sizes)), 3, -30.0F, 30.0F);
    for (const SoftmaxKind kind : {SoftmaxKind::probabilities, SoftmaxKind::logarithms}) {
      const std::vector<double> exact = exact_softmax(kind, in, sizes);
      for (const test::IsaAndThreads& setting : test::isas_and_threads()) {
        std::vector<float> out(in.size() + 1, 42.0F);
        softmax(kind, in.data(), out.data(), sizes, *setting.workers, setting.isa);
        CHECK(out.back() == 42.0F);
        const double floor = kind == SoftmaxKind::logarithms ? 1.0 : 1e-6;
        double worst = 0;
        for (std::size_t i = 0; i < in.size(); ++i) {
          const double error = std::abs(static_cast<double>(out[i]) - exact[i]);
          worst = std::max(worst, error / (std::abs(exact[i]) + floor));
        }
        INFO(sizes.outer << " x " << sizes.axis << " x " << sizes.inner);
        CHECK(worst < 3e-6);
      }
      Workers workers;
      const std::vector<double> in_double(in.begin(), in.end());
      std::vector<double> out_double(in.size());
      softmax(kind, in_double.data(), out_double.data(), sizes, workers, best_isa());
      for (std::size_t i = 0; i < in.size(); ++i) {
        REQUIRE(std::abs(out_double[i] - exact[i]) <= 1e-13 * (1.0 + std::abs(exact[i])));
      }
    }
  }
}

TEST_CASE("softmax gives the same bits for any number of threads, and in place") {
  const SoftmaxSizes sizes = {300, 129, 1};
  const auto in = test::random_floats(300 * 129, 4);
  for (const Isa isa : test::available_isas()) {
    std::vector<float> alone(in.size());
    Workers one;
    softmax(SoftmaxKind::probabilities, in.data(), alone.data(), sizes, one, isa);
    for (const test::IsaAndThreads& setting : test::isas_and_threads()) {
      if (setting.isa != isa) continue;
      std::vector<float> out = in;
      softmax(SoftmaxKind::probabilities, out.data(), out.data(), sizes, *setting.workers, isa);
      CHECK(test::same_bits(alone, out));
    }
  }
}

TEST_CASE("softmax of masked, lone and invalid slices") {
  const float infinity = std::numeric_limits<float>::infinity();
  Workers workers;
  for (const Isa isa : test::available_isas()) {
    std::vector<float> masked(40, -infinity);
    masked[37] = 5.0F;
    softmax(SoftmaxKind::probabilities, masked.data(), masked.data(), {1, 40, 1}, workers, isa);
    for (std::size_t i = 0; i < 40; ++i) CHECK(masked[i] == (i == 37 ? 1.0F : 0.0F));
    std::vector<float> with_nan(40, 1.0F);
    with_nan[3] = std::numeric_limits<float>::quiet_NaN();
    softmax(SoftmaxKind::probabilities, with_nan.data(), with_nan.data(), {1, 40, 1}, workers, isa);
    for (const float x : with_nan) CHECK(std::isnan(x));
  }
}

TEST_CASE("softmax of halves is computed in float32") {
  const auto in = test::random_floats(6 * 50, 9);
  std::vector<Float16Bits> halves(in.size());
  std::vector<float> floats(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) {
    halves[i] = to_float16(in[i]);
    floats[i] = to_float(halves[i]);
  }
  Workers workers;
  for (const SoftmaxSizes sizes : {SoftmaxSizes{6, 50, 1}, SoftmaxSizes{2, 50, 3}}) {
    std::vector<Float16Bits> out(in.size());
    std::vector<float> expected(in.size());
    softmax(SoftmaxKind::probabilities, halves.data(), out.data(), sizes, workers, best_isa());
    softmax(SoftmaxKind::probabilities, floats.data(), expected.data(), sizes, workers, best_isa());
    for (std::size_t i = 0; i < in.size(); ++i) {
      REQUIRE(out[i].bits == to_float16(expected[i]).bits);
    }
  }
}

}  // namespace
}  // namespace ortool::cpu
