// Transposed convolutions against reference sums in double, at every ISA level and thread count.
#include "kernels/cpu/conv/conv_transpose.hpp"

#include <catch2/catch.hpp>

#include "libcore/base/memory/aligned_buffer.hpp"
#include "tests/support/kernel_test.hpp"
#include "tests/unit/kernels/cpu/window_test_support.hpp"

namespace ortool::cpu {
namespace {

using test::product;

/// Scatters each input to the outputs, which no kernel does.
std::vector<double> reference_sums(const ConvTransposeSizes& sizes, const std::vector<float>& x,
                                   const std::vector<float>& w, const std::vector<float>& bias) {
  const std::int64_t maps = sizes.channels_out / sizes.groups;
  const std::int64_t depth = sizes.channels_in / sizes.groups;
  std::vector<double> y;
  for (std::int64_t i = 0; i < sizes.batch * sizes.channels_out; ++i)
    y.insert(y.end(), static_cast<std::size_t>(product(sizes.out)),
             static_cast<double>(bias[static_cast<std::size_t>(i % sizes.channels_out)]));
  const auto each = [](const std::int64_t(&dims)[3], auto body) {
    for (std::int64_t i = 0; i < product(dims); ++i) {
      const std::int64_t at[3] = {i / (dims[1] * dims[2]), i / dims[2] % dims[1], i % dims[2]};
      body(i, at);
    }
  };
  for (std::int64_t c = 0; c < sizes.batch * sizes.channels_in; ++c) {
    const std::int64_t channel = c % sizes.channels_in;
    for (std::int64_t m = 0; m < maps; ++m) {
      const std::int64_t map =
          c / sizes.channels_in * sizes.channels_out + channel / depth * maps + m;
      each(sizes.in, [&](std::int64_t pixel, const std::int64_t(&in)[3]) {
        each(sizes.kernel, [&](std::int64_t position, const std::int64_t(&step)[3]) {
          std::int64_t out = 0;
          for (int axis = 0; axis < 3; ++axis) {
            const std::int64_t place =
                in[axis] * sizes.stride[axis] - sizes.pad[axis] + step[axis] * sizes.dilation[axis];
            if (place < 0 || place >= sizes.out[axis]) return;
            out = out * sizes.out[axis] + place;
          }
          const auto weight =
              static_cast<std::size_t>((channel * maps + m) * product(sizes.kernel) + position);
          y[static_cast<std::size_t>(map * product(sizes.out) + out)] +=
              static_cast<double>(x[static_cast<std::size_t>(c * product(sizes.in) + pixel)]) *
              static_cast<double>(w[weight]);
        });
      });
    }
  }
  return y;
}

void check_sizes(const ConvTransposeSizes& sizes) {
  const auto x =
      ortool::test::random_floats(sizes.batch * sizes.channels_in * product(sizes.in), 1);
  const auto w = ortool::test::random_floats(
      sizes.channels_in * (sizes.channels_out / sizes.groups) * product(sizes.kernel), 2);
  const auto bias = ortool::test::random_floats(sizes.channels_out, 3);
  const std::vector<double> exact = reference_sums(sizes, x, w, bias);
  for (const Isa isa : ortool::test::available_isas()) {
    std::vector<float> first;
    for (const int threads : {1, 2, 8}) {
      ThreadPool pool(threads);
      Workers workers(pool, threads);
      AlignedBuffer packed(packed_conv_transpose_bytes(sizes, isa), nullptr);
      AlignedBuffer workspace(conv_transpose_workspace_bytes(sizes, isa), nullptr);
      pack_conv_transpose_weights(sizes, w.data(), isa, packed.as<float>(), workers);
      std::vector<float> y(exact.size() + 1, 42.0F);
      conv_transpose(sizes, x.data(), packed.as<float>(), bias.data(), y.data(), isa,
                     workspace.data(), workers);
      CHECK(y.back() == 42.0F);
      double worst = 0;
      for (std::size_t i = 0; i < exact.size(); ++i)
        worst = std::max(worst, std::abs(static_cast<double>(y[i]) - exact[i]));
      CHECK(worst < 1e-3);
      if (first.empty()) first = y;
      CHECK(ortool::test::same_bits(first, y));
    }
  }
  Workers workers;
  std::vector<float> y(exact.size());
  conv_transpose_reference(sizes, x.data(), w.data(), bias.data(), y.data(), workers);
  for (std::size_t i = 0; i < exact.size(); ++i)
    REQUIRE(std::abs(static_cast<double>(y[i]) - exact[i]) < 1e-3);
}

TEST_CASE("transposed convolutions agree with plain sums") {
  ConvTransposeSizes sizes;
  sizes.batch = 2;
  sizes.groups = 2;
  sizes.channels_in = 10;
  sizes.channels_out = 6;
  for (const std::int64_t stride : {1, 2, 3}) {
    for (const std::int64_t kernel : {1, 2, 3, 4}) {
      for (const std::int64_t dilation : {1, 2}) {
        for (const std::int64_t pad : {0, 1}) {
          const std::int64_t in[3] = {2, 5, 37};
          for (int axis = 0; axis < 3; ++axis) {
            sizes.in[axis] = in[axis];
            sizes.kernel[axis] = axis == 0 ? 2 : kernel;
            sizes.stride[axis] = stride;
            sizes.dilation[axis] = dilation;
            sizes.pad[axis] = pad;
            const std::int64_t reach = (sizes.kernel[axis] - 1) * dilation + 1;
            sizes.out[axis] = std::max<std::int64_t>(
                1, (in[axis] - 1) * stride + reach - 2 * pad + (axis == 2 ? 1 : 0));
          }
          INFO("stride " << stride << " kernel " << kernel << " dilation " << dilation << " pad "
                         << pad);
          check_sizes(sizes);
        }
      }
    }
  }
}

TEST_CASE("transposed convolutions of long rows are cut into tiles") {
  ConvTransposeSizes sizes;
  sizes.batch = 1;
  sizes.channels_in = 17;
  sizes.channels_out = 24;
  sizes.in[2] = 3001;
  sizes.kernel[2] = 16;
  sizes.stride[2] = 8;
  sizes.pad[2] = 4;
  sizes.out[2] = 3000 * 8 + 16 - 8;
  check_sizes(sizes);
}

}  // namespace
}  // namespace ortool::cpu
