// Tests NCHWc pools against NCHW ones.
#include "kernels/cpu/pooling/pool_nchwc.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include <catch2/catch.hpp>

#include "kernels/cpu/conv/f32_nchwc/conv.hpp"
#include "kernels/cpu/conv/reorder.hpp"
#include "tests/unit/kernels/cpu/kernel_test_support.hpp"
#include "tests/unit/kernels/cpu/window_test_support.hpp"

namespace ortool::cpu {
namespace {

using test::product;
using test::RandomValues;

NchwcPoolSizes random_sizes(RandomValues& numbers) {
  NchwcPoolSizes sizes;
  sizes.batch = numbers.between(1, 2);
  sizes.channels = numbers.between(1, 40);
  const int first = numbers.flip() ? 1 : 2;
  for (int axis = first; axis < 3; ++axis) {
    PoolSizes& window = sizes.window;
    window.kernel[axis] = numbers.between(1, 4);
    window.stride[axis] = numbers.between(1, 3);
    window.dilation[axis] = numbers.between(1, 4) == 4 ? 2 : 1;
    const std::int64_t reach = (window.kernel[axis] - 1) * window.dilation[axis] + 1;
    window.pad_begin[axis] = numbers.between(0, window.kernel[axis] - 1);
    window.pad_end[axis] = numbers.between(0, window.kernel[axis] - 1);
    window.in[axis] = numbers.between(reach, reach + 30);
    const std::int64_t room =
        window.in[axis] + window.pad_begin[axis] + window.pad_end[axis] - reach;
    window.out[axis] = room / window.stride[axis] + 1;
  }
  return sizes;
}

struct Images {
  std::int64_t batch;
  std::int64_t channels;
  std::int64_t pixels;
};

AlignedBuffer blocked(const std::vector<float>& plain, const Images& images, Isa isa,
                      Workers& workers) {
  const std::int64_t block = block_of(blocked_layout(isa));
  const std::int64_t channels = (images.channels + block - 1) / block * block;
  AlignedBuffer buffer = test::bytes(images.batch * channels * images.pixels * 4);
  reorder_to_nchwc({images.batch, images.channels, images.pixels, block}, plain.data(),
                   buffer.as<float>(), isa, workers);
  return buffer;
}

/// The result of `pool(sizes, x, y, isa, workers)`, in NCHW.
template <typename Pool>
std::vector<float> run(NchwcPoolSizes sizes, const std::vector<float>& x, Isa isa, int threads,
                       Pool pool) {
  ThreadPool threads_pool(threads);
  Workers workers(threads_pool, threads);
  const std::int64_t block = block_of(blocked_layout(isa));
  sizes.window.planes = sizes.batch * ((sizes.channels + block - 1) / block);
  const AlignedBuffer in =
      blocked(x, {sizes.batch, sizes.channels, product(sizes.window.in)}, isa, workers);
  const std::int64_t pixels = product(sizes.window.out);
  AlignedBuffer out = test::bytes(sizes.window.planes * block * pixels * 4);
  pool(sizes, in.as<float>(), out.as<float>(), isa, workers);
  std::vector<float> y(static_cast<std::size_t>(sizes.batch * sizes.channels * pixels));
  reorder_to_nchw({sizes.batch, sizes.channels, pixels, block}, out.as<float>(), y.data(), isa,
                  workers);
  return y;
}

/// Equal within the tolerance, or both NaN.
bool agree(const std::vector<float>& a, const std::vector<float>& b, float tolerance) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool is_nan = std::isnan(a[i]) && std::isnan(b[i]);
    const bool is_near = a[i] == b[i] || std::fabs(a[i] - b[i]) <= tolerance;
    if (!is_nan && !is_near) return false;
  }
  return true;
}

template <typename Pool, typename ReferencePool>
void check(std::uint32_t seed, float tolerance, Pool pool, ReferencePool reference_pool) {
  CAPTURE(seed);
  RandomValues numbers(seed);
  for (int round = 0; round < 40; ++round) {
    NchwcPoolSizes sizes = random_sizes(numbers);
    std::vector<float> x = numbers.floats(sizes.batch * sizes.channels * product(sizes.window.in));
    x[static_cast<std::size_t>(numbers.between(0, static_cast<std::int64_t>(x.size()) - 1))] =
        numbers.flip() ? std::numeric_limits<float>::quiet_NaN()
                       : -std::numeric_limits<float>::infinity();
    const PoolSizes& w = sizes.window;
    CAPTURE(round, sizes.batch, sizes.channels, w.in, w.out, w.kernel, w.stride, w.dilation,
            w.pad_begin, w.pad_end);
    PoolSizes plain = w;
    plain.planes = sizes.batch * sizes.channels;
    std::vector<float> expected(static_cast<std::size_t>(plain.planes * product(plain.out)));
    Workers alone;
    reference_pool(plain, x.data(), expected.data(), alone);
    for (const Isa isa : test::isas_here()) {
      if (isa == Isa::baseline) continue;
      CAPTURE(isa_name(isa));
      const std::vector<float> y = run(sizes, x, isa, 1, pool);
      REQUIRE(agree(y, expected, tolerance));
      const std::vector<float> again = run(sizes, x, isa, 3, pool);
      REQUIRE(std::memcmp(y.data(), again.data(), y.size() * sizeof(float)) == 0);
    }
  }
}

TEST_CASE("Blocked pools find the largest numbers that plain ones find", "[pool]") {
  check(20281, 0.0F, max_pool_nchwc,
        [](const PoolSizes& sizes, const float* x, float* y, Workers& workers) {
          max_pool(sizes, x, y, nullptr, false, Isa::baseline, workers);
        });
}

TEST_CASE("Blocked means are those of plain pools", "[pool]") {
  for (const bool counts_padding : {false, true}) {
    check(
        20282, 1e-6F,
        [=](const NchwcPoolSizes& sizes, const float* x, float* y, Isa isa, Workers& workers) {
          average_pool_nchwc(sizes, counts_padding, x, y, isa, workers);
        },
        [=](const PoolSizes& sizes, const float* x, float* y, Workers& workers) {
          average_pool(sizes, counts_padding, x, y, Isa::baseline, workers);
        });
  }
}

TEST_CASE("Means of whole blocked planes come out plain", "[pool]") {
  RandomValues numbers(20283);
  for (const Images& images : {Images{1, 64, 49}, Images{2, 21, 3}, Images{3, 8, 1}}) {
    const std::vector<float> x = numbers.floats(images.batch * images.channels * images.pixels);
    for (const Isa isa : test::isas_here()) {
      if (isa == Isa::baseline) continue;
      CAPTURE(images.channels, isa_name(isa));
      Workers workers;
      std::vector<float> expected(static_cast<std::size_t>(images.batch * images.channels));
      std::vector<float> y(expected.size() + 16, 7.0F);
      global_average_pool(images.batch * images.channels, images.pixels, x.data(), expected.data(),
                          isa, workers);
      const AlignedBuffer in = blocked(x, images, isa, workers);
      global_average_pool_nchwc(images.batch, images.channels, images.pixels, in.as<float>(),
                                y.data(), isa, workers);
      for (std::size_t i = expected.size(); i < y.size(); ++i) REQUIRE(y[i] == 7.0F);
      y.resize(expected.size());
      REQUIRE(agree(y, expected, 1e-6F));
    }
  }
}

}  // namespace
}  // namespace ortool::cpu
