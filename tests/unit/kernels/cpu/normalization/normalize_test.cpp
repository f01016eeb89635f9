// Normalizing kernels compared with float64 references.
#include "kernels/cpu/normalization/normalize.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/support/kernel_test.hpp"

namespace ortool::cpu {
namespace {

struct ExactMoments {
  double mean = 0;
  double variance = 0;
};

ExactMoments moments_of(const float* in, std::int64_t size) {
  ExactMoments moments;
  for (std::int64_t i = 0; i < size; ++i) moments.mean += static_cast<double>(in[i]);
  moments.mean /= static_cast<double>(size);
  for (std::int64_t i = 0; i < size; ++i) {
    const double difference = static_cast<double>(in[i]) - moments.mean;
    moments.variance += difference * difference;
  }
  moments.variance /= static_cast<double>(size);
  return moments;
}

void check_close(float found, double exact, double tolerance = 2e-5) {
  if (std::abs(static_cast<double>(found) - exact) > tolerance * (1.0 + std::abs(exact))) {
    FAIL_CHECK("found " << found << ", expected " << exact);
  }
}

TEST_CASE("layer normalization agrees with double precision, with and without a skip") {
  for (const std::int64_t size : {1, 3, 16, 31, 768, 5001}) {
    const std::int64_t rows = 37;
    const auto in = test::random_floats(rows * size, 1, 1.0F, 4.0F);
    const auto skip = test::random_floats(rows * size, 2);
    const auto skip_bias = test::random_floats(size, 3);
    const auto scale = test::random_floats(size, 4);
    const auto bias = test::random_floats(size, 5);
    for (const bool with_skip : {false, true}) {
      std::vector<float> first_bits;
      for (const test::IsaAndThreads& setting : test::isas_and_threads()) {
        std::vector<float> out(in.size());
        std::vector<float> sum(in.size());
        std::vector<float> mean(static_cast<std::size_t>(rows));
        std::vector<float> inverse(static_cast<std::size_t>(rows));
        LayerNormalization layer{.in = in.data(), .scale = scale.data(), .bias = bias.data()};
        layer.out = out.data();
        layer.mean = mean.data();
        layer.inverse_deviation = inverse.data();
        layer.rows = rows;
        layer.size = size;
        std::vector<float> input = in;
        if (with_skip) {
          layer.skip = skip.data();
          layer.skip_bias = skip_bias.data();
          layer.sum = sum.data();
          for (std::size_t i = 0; i < in.size(); ++i) {
            input[i] = in[i] + skip[i] + skip_bias[i % static_cast<std::size_t>(size)];
          }
        }
        layer_normalization(layer, *setting.workers, setting.isa);
        if (with_skip) CHECK(test::same_bits(sum, input));
        for (std::int64_t row = 0; row < rows; ++row) {
          const ExactMoments exact = moments_of(input.data() + row * size, size);
          const double factor = 1.0 / std::sqrt(exact.variance + static_cast<double>(1e-5F));
          check_close(mean[static_cast<std::size_t>(row)], exact.mean);
          check_close(inverse[static_cast<std::size_t>(row)], factor, 1e-4);
          for (std::int64_t i = 0; i < size; ++i) {
            const std::size_t at = static_cast<std::size_t>(row * size + i);
            const std::size_t column = static_cast<std::size_t>(i);
            check_close(out[at],
                        (static_cast<double>(input[at]) - exact.mean) * factor *
                                static_cast<double>(scale[column]) +
                            static_cast<double>(bias[column]),
                        size == 1 ? 1e-3 : 2e-5);
          }
        }
        layer.bias = nullptr;
        rms_normalization(layer, *setting.workers, setting.isa);
        for (std::int64_t row = 0; row < rows; ++row) {
          double squares = 0;
          for (std::int64_t i = 0; i < size; ++i) {
            const double x = static_cast<double>(input[static_cast<std::size_t>(row * size + i)]);
            squares += x * x;
          }
          const double factor =
              1.0 / std::sqrt(squares / static_cast<double>(size) + static_cast<double>(1e-5F));
          for (std::int64_t i = 0; i < size; ++i) {
            const std::size_t at = static_cast<std::size_t>(row * size + i);
            check_close(out[at], static_cast<double>(input[at]) * factor *
                                     static_cast<double>(scale[static_cast<std::size_t>(i)]));
          }
        }
      }
    }
  }
}

TEST_CASE("layer normalization gives the same bits for any number of threads") {
  const auto in = test::random_floats(257 * 300, 6);
  const auto scale = test::random_floats(300, 7);
  for (const Isa isa : test::available_isas()) {
    std::vector<float> first;
    for (const test::IsaAndThreads& setting : test::isas_and_threads()) {
      if (setting.isa != isa) continue;
      std::vector<float> out(in.size());
      LayerNormalization layer{.in = in.data(), .scale = scale.data()};
      layer.out = out.data();
      layer.rows = 257;
      layer.size = 300;
      layer_normalization(layer, *setting.workers, isa);
      if (first.empty()) first = out;
      CHECK(test::same_bits(first, out));
    }
  }
}

TEST_CASE("batch, instance and group normalization agree with double precision") {
  for (const ChannelSizes sizes : {ChannelSizes{2, 6, 49}, ChannelSizes{3, 6, 1},
                                   ChannelSizes{1, 6, 20000}, ChannelSizes{2, 6, 0}}) {
    const std::int64_t count = sizes.batch * sizes.channels * sizes.spatial;
    const auto in = test::random_floats(count, 11, 90.0F, 100.0F);
    const auto scale = test::random_floats(6, 12);
    const auto bias = test::random_floats(6, 13);
    const auto mean = test::random_floats(6, 14, 90.0F, 100.0F);
    const auto variance = test::random_floats(6, 15, 0.5F, 2.0F);
    for (const test::IsaAndThreads& setting : test::isas_and_threads()) {
      std::vector<float> out(in.size());
      batch_normalization(in.data(), out.data(), sizes,
                          {scale.data(), bias.data(), mean.data(), variance.data(), 1e-5F},
                          *setting.workers, setting.isa);
      for (std::int64_t i = 0; i < count; ++i) {
        const std::size_t c = static_cast<std::size_t>(i / sizes.spatial % sizes.channels);
        const std::size_t at = static_cast<std::size_t>(i);
        const double factor =
            static_cast<double>(scale[c]) / std::sqrt(static_cast<double>(variance[c]) + 1e-5);
        check_close(out[at],
                    (static_cast<double>(in[at]) - static_cast<double>(mean[c])) * factor +
                        static_cast<double>(bias[c]),
                    1e-4);
      }
      if (sizes.spatial <= 1) continue;
      for (const std::int64_t groups : {std::int64_t{6}, std::int64_t{2}}) {
        group_normalization(in.data(), out.data(), sizes, groups, scale.data(), bias.data(), 1e-5F,
                            *setting.workers, setting.isa);
        const std::int64_t elements = sizes.channels / groups * sizes.spatial;
        for (std::int64_t i = 0; i < count; ++i) {
          const std::size_t c = static_cast<std::size_t>(i / sizes.spatial % sizes.channels);
          const std::size_t at = static_cast<std::size_t>(i);
          static thread_local std::int64_t last_group = -1;
          static thread_local ExactMoments exact;
          if (i == 0 || last_group != i / elements) {
            last_group = i / elements;
            exact = moments_of(in.data() + last_group * elements, elements);
          }
          check_close(out[at], (static_cast<double>(in[at]) - exact.mean) /
                                       std::sqrt(exact.variance + 1e-5) *
                                       static_cast<double>(scale[c]) +
                                   static_cast<double>(bias[c]));
        }
      }
    }
  }
}

TEST_CASE("Lp normalization divides a slice by its norm and keeps zeros") {
  const std::vector<float> in = {3, 0, 4, 0, 0, 0, -1, 2, 0, 0, 0, 0};
  std::vector<float> out(in.size());
  Workers workers;
  lp_normalization(in.data(), out.data(), 2, 3, 2, 2, workers);
  CHECK(out[0] == 0.6F);
  CHECK(out[2] == 0.8F);
  CHECK(out[1] == 0.0F);
  CHECK(out[6] == -1.0F);
  lp_normalization(in.data(), out.data(), 1, 12, 1, 1, workers);
  CHECK(out[0] == 0.3F);
  CHECK(out[6] == -0.1F);
}

TEST_CASE("local response normalization sums the squares of neighboring channels") {
  const ChannelSizes sizes = {2, 7, 601};
  const auto in = test::random_floats(2 * 7 * 601, 21);
  for (const std::int64_t size : {1, 2, 5}) {
    const LocalResponse response = {size, 0.5F, 0.75F, 2.0F};
    for (const test::IsaAndThreads& setting : test::isas_and_threads()) {
      std::vector<float> out(in.size());
      local_response_normalization(in.data(), out.data(), sizes, response, *setting.workers,
                                   setting.isa);
      for (std::int64_t i = 0; i < static_cast<std::int64_t>(in.size()); ++i) {
        const std::int64_t c = i / 601 % 7;
        double sum = 0;
        for (std::int64_t k = std::max<std::int64_t>(0, c - (size - 1) / 2);
             k <= std::min<std::int64_t>(6, c + size / 2); ++k) {
          const double x = static_cast<double>(in[static_cast<std::size_t>(i + (k - c) * 601)]);
          sum += x * x;
        }
        check_close(out[static_cast<std::size_t>(i)],
                    static_cast<double>(in[static_cast<std::size_t>(i)]) /
                        std::pow(2.0 + 0.5 / static_cast<double>(size) * sum, 0.75),
                    1e-6);
      }
    }
  }
}

}  // namespace
}  // namespace ortool::cpu
