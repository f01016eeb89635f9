// kernels_bench [FILTER] [SECONDS]: speed of the CPU kernels on layers of known networks.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "kernels/cpu/conv/f32_nchw/conv.hpp"
#include "kernels/cpu/conv/f32_nchwc/conv.hpp"
#include "kernels/cpu/gemm/bf16/gemm.hpp"
#include "kernels/cpu/gemm/bf16/peak.hpp"
#include "kernels/cpu/gemm/f32/gemm.hpp"
#include "tests/benchmark/bench_support.hpp"
#include "tests/benchmark/kernel_families.hpp"

namespace ortool::cpu::bench {
namespace {

struct Options {
  std::string_view filter;
  double seconds = 0.1;

  bool wants(std::string_view name) const {
    return filter.empty() || name.find(filter) != std::string_view::npos;
  }
};

constexpr Isa codes[] = {Isa::baseline, Isa::avx2, Isa::avx512, Isa::amx};

template <typename Measure>
void print_row(const Options& options, const std::string& name, double operations,
               Measure&& measure) {
  if (!options.wants(name)) return;
  std::printf("%-44s", name.c_str());
  for (const Isa isa : codes) {
    if (isa > best_isa()) continue;
    for (const int threads : {1, 2}) {
      ThreadPool pool(threads);
      Workers workers(pool, threads);
      const double seconds = measure(isa, workers);
      std::printf(" %7.1f", operations / seconds * 1e-9);
    }
  }
  std::printf("\n");
  std::fflush(stdout);
}

void run_gemm(const Options& options) {
  struct Shape {
    const char* name;
    GemmSizes sizes;
  };
  const Shape shapes[] = {
      {"square 1024", {1024, 1024, 1024}},
      {"square 256", {256, 256, 256}},
      {"square 64", {64, 64, 64}},
      {"vit qkv 197x2304x768", {197, 2304, 768}},
      {"vit mlp 197x3072x768", {197, 3072, 768}},
      {"vit mlp 197x768x3072", {197, 768, 3072}},
      {"bert 128x768x768", {128, 768, 768}},
      {"classifier 1x1000x2048", {1, 1000, 2048}},
      {"16x1000x2048", {16, 1000, 2048}},
      {"column 1000x1x2048", {1000, 1, 2048}},
  };
  for (const Shape& shape : shapes) {
    const auto [m, n, k] = shape.sizes;
    const AlignedBuffer a = filled(m * k);
    const AlignedBuffer b = filled(k * n);
    AlignedBuffer c = filled(m * n);
    const double operations =
        2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
    print_row(options, std::string("gemm ") + shape.name, operations,
              [&](Isa isa, Workers& workers) {
                AlignedBuffer packed(packed_b_bytes(k, n, isa), nullptr);
                AlignedBuffer workspace(gemm_workspace_bytes(shape.sizes, isa), nullptr);
                pack_b(k, n, {b.as<float>(), n}, isa, packed.as<float>(), workers);
                return best_seconds(options.seconds, [&] {
                  gemm(shape.sizes, {a.as<float>(), k}, packed.as<float>(), c.as<float>(), n, {},
                       isa, workspace.data(), workers);
                });
              });
  }
}

/// bfloat16 products on one thread, each with its share of the instruction's rate in registers.
void run_bf16_gemm(const Options& options) {
  struct Shape {
    const char* name;
    GemmSizes sizes;
  };
  const Shape shapes[] = {
      {"square 1024", {1024, 1024, 1024}},        {"square 256", {256, 256, 256}},
      {"vit qkv 197x2304x768", {197, 2304, 768}}, {"vit mlp 197x768x3072", {197, 768, 3072}},
      {"bert 128x768x768", {128, 768, 768}},      {"bert 128x3072x768", {128, 3072, 768}},
      {"bert 128x768x3072", {128, 768, 3072}},    {"classifier 1x1000x2048", {1, 1000, 2048}},
      {"16x1000x2048", {16, 1000, 2048}}};
  const auto measure = [&](const Shape& shape, Isa isa, Workers& workers) {
    const auto [m, n, k] = shape.sizes;
    const AlignedBuffer a = filled(m * k);
    const AlignedBuffer b = filled(k * n);
    AlignedBuffer c = filled(m * n);
    AlignedBuffer packed(packed_bf16_b_bytes(k, n), nullptr, "a benchmark");
    AlignedBuffer workspace(bf16_gemm_workspace_bytes(shape.sizes), nullptr, "a benchmark");
    pack_bf16_b(k, n, {b.as<float>(), n}, isa, packed.as<std::uint16_t>(), workers);
    const Bf16Columns whole[] = {{n, packed.as<std::uint16_t>(), c.as<float>(), n}};
    const double seconds = best_seconds(options.seconds, [&] {
      bf16_gemm(shape.sizes, {a.as<float>(), k}, whole, {}, isa, workspace.data(), workers);
    });
    const double operations =
        2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
    return operations / seconds * 1e-9;
  };
  const auto print = [&](const Shape& shape) {
    const std::string name = std::string("gemm bf16 ") + shape.name;
    if (!options.wants(name)) return;
    std::printf("%-44s", name.c_str());
    for (const Isa isa : codes) {
      if (isa > best_isa() || !has_bf16_gemm(isa)) continue;
      Workers alone;
      const double peak = bf16_peak_gflops(isa);
      const double rate = measure(shape, isa, alone);
      std::printf("  %s %7.1f (%2.0f %%)", std::string(isa_name(isa)).c_str(), rate,
                  100 * rate / peak);
    }
    std::printf("\n");
    std::fflush(stdout);
  };
  for (const Shape& shape : shapes) print(shape);
}

/// A row times the transpose of a matrix known only at run time, as in a decoder's scores.
void run_row(const Options& options) {
  struct Shape {
    const char* name;
    std::int64_t n;
    std::int64_t k;
  };
  const Shape shapes[] = {{"row 1x10x512 transposed", 10, 512},
                          {"row 1x512x64 transposed", 512, 64},
                          {"row 1x256x768 transposed", 256, 768},
                          {"row 1x1000x2048 transposed", 1000, 2048}};
  for (const Shape& shape : shapes) {
    const GemmSizes sizes = {1, shape.n, shape.k};
    const AlignedBuffer a = filled(shape.k);
    const AlignedBuffer b = filled(shape.k * shape.n);
    AlignedBuffer c = filled(shape.n);
    const double operations = 2.0 * static_cast<double>(shape.n) * static_cast<double>(shape.k);
    print_row(options, std::string("gemm ") + shape.name, operations,
              [&](Isa isa, Workers& workers) {
                AlignedBuffer workspace(gemm_unpacked_workspace_bytes(sizes, isa), nullptr);
                return best_seconds(options.seconds, [&] {
                  gemm_unpacked(sizes, {a.as<float>(), shape.k}, {b.as<float>(), shape.k, true},
                                c.as<float>(), shape.n, {}, isa, workspace.data(), workers);
                });
              });
  }
}

struct Layer {
  const char* name;
  std::int64_t in;
  std::int64_t channels_in;
  std::int64_t channels_out;
  std::int64_t kernel;
  std::int64_t stride;
  std::int64_t groups;
};

constexpr Layer layers[] = {
    {"resnet stem 3->64 7x7/2 224", 224, 3, 64, 7, 2, 1},
    {"resnet 64->64 1x1 56", 56, 64, 64, 1, 1, 1},
    {"resnet 64->64 3x3 56", 56, 64, 64, 3, 1, 1},
    {"resnet 64->256 1x1 56", 56, 64, 256, 1, 1, 1},
    {"resnet 256->64 1x1 56", 56, 256, 64, 1, 1, 1},
    {"resnet 128->128 3x3/2 56", 56, 128, 128, 3, 2, 1},
    {"resnet 128->128 3x3 28", 28, 128, 128, 3, 1, 1},
    {"resnet 128->512 1x1 28", 28, 128, 512, 1, 1, 1},
    {"resnet 512->128 1x1 28", 28, 512, 128, 1, 1, 1},
    {"resnet 256->512 1x1/2 56", 56, 256, 512, 1, 2, 1},
    {"resnet 256->256 3x3 14", 14, 256, 256, 3, 1, 1},
    {"resnet 256->1024 1x1 14", 14, 256, 1024, 1, 1, 1},
    {"resnet 1024->256 1x1 14", 14, 1024, 256, 1, 1, 1},
    {"resnet 512->512 3x3 7", 7, 512, 512, 3, 1, 1},
    {"resnet 512->2048 1x1 7", 7, 512, 2048, 1, 1, 1},
    {"resnet 2048->512 1x1 7", 7, 2048, 512, 1, 1, 1},
    {"squeezenet 3->64 3x3/2 224", 224, 3, 64, 3, 2, 1},
    {"squeezenet 16->64 3x3 55", 55, 16, 64, 3, 1, 1},
    {"squeezenet 64->256 3x3 13", 13, 64, 256, 3, 1, 1},
    {"squeezenet 512->1000 1x1 13", 13, 512, 1000, 1, 1, 1},
    {"mobilenet 3->32 3x3/2 224", 224, 3, 32, 3, 2, 1},
    {"mobilenet 32->16 1x1 112", 112, 32, 16, 1, 1, 1},
    {"mobilenet 16->96 1x1 112", 112, 16, 96, 1, 1, 1},
    {"mobilenet 96->24 1x1 56", 56, 96, 24, 1, 1, 1},
    {"mobilenet 24->144 1x1 56", 56, 24, 144, 1, 1, 1},
    {"mobilenet 144->32 1x1 28", 28, 144, 32, 1, 1, 1},
    {"mobilenet 32->192 1x1 28", 28, 32, 192, 1, 1, 1},
    {"mobilenet 64->384 1x1 14", 14, 64, 384, 1, 1, 1},
    {"mobilenet 384->64 1x1 14", 14, 384, 64, 1, 1, 1},
    {"mobilenet 576->96 1x1 14", 14, 576, 96, 1, 1, 1},
    {"mobilenet 160->960 1x1 7", 7, 160, 960, 1, 1, 1},
    {"mobilenet 960->160 1x1 7", 7, 960, 160, 1, 1, 1},
    {"mobilenet 320->1280 1x1 7", 7, 320, 1280, 1, 1, 1},
    {"depthwise 32 3x3 112", 112, 32, 32, 3, 1, 32},
    {"depthwise 96 3x3/2 112", 112, 96, 96, 3, 2, 96},
    {"depthwise 144 3x3 56", 56, 144, 144, 3, 1, 144},
    {"depthwise 192 3x3 28", 28, 192, 192, 3, 1, 192},
    {"depthwise 384 3x3 14", 14, 384, 384, 3, 1, 384},
    {"depthwise 960 3x3 7", 7, 960, 960, 3, 1, 960},
    {"depthwise 240 5x5 28", 28, 240, 240, 5, 1, 240},
    {"depthwise 672 5x5/2 14", 14, 672, 672, 5, 2, 672},
    {"vit patches 3->768 16x16/16 224", 224, 3, 768, 16, 16, 1},
    {"squeeze-excite 960->240 1x1 1", 1, 960, 240, 1, 1, 1},
};

ConvSizes sizes_of(const Layer& layer) {
  ConvSizes sizes;
  sizes.channels_in = layer.channels_in;
  sizes.channels_out = layer.channels_out;
  sizes.groups = layer.groups;
  for (const int axis : {1, 2}) {
    sizes.in[axis] = layer.in;
    sizes.kernel[axis] = layer.kernel;
    sizes.stride[axis] = layer.stride;
    sizes.pad[axis] = layer.stride == layer.kernel ? 0 : layer.kernel / 2;
    sizes.out[axis] = (layer.in + 2 * sizes.pad[axis] - layer.kernel) / layer.stride + 1;
  }
  return sizes;
}

/// NCHWc convolutions. Cycles through many copies of the weights, so that none stays in cache.
void run_blocked_conv(const Options& options) {
  for (const Layer& layer : layers) {
    const ConvSizes sizes = sizes_of(layer);
    const NchwcConvAlgorithm path =
        layer.channels_in < 4 ? NchwcConvAlgorithm::from_nchw : choose_nchwc_algorithm(sizes);
    if (!can_block_conv(sizes, path)) continue;
    constexpr std::int64_t widest_block = 16;
    const std::int64_t depth = layer.channels_in / layer.groups * layer.kernel * layer.kernel;
    const std::int64_t pixels = sizes.out[1] * sizes.out[2];
    const AlignedBuffer x = filled((layer.channels_in + widest_block) * layer.in * layer.in);
    const AlignedBuffer weights = filled(layer.channels_out * depth);
    const AlignedBuffer bias = filled(layer.channels_out + widest_block);
    AlignedBuffer y = filled((layer.channels_out + widest_block) * pixels);
    const double operations = 2.0 * static_cast<double>(layer.channels_out) *
                              static_cast<double>(depth) * static_cast<double>(pixels);
    print_row(options,
              std::string(path == NchwcConvAlgorithm::winograd ? "blocked winograd " : "blocked ") +
                  layer.name,
              operations, [&](Isa isa, Workers& workers) {
                if (isa == Isa::baseline) return HUGE_VAL;
                const std::int64_t bytes = packed_nchwc_weight_bytes(sizes, path, isa);
                constexpr std::int64_t far_bytes = 48 << 20;
                const std::int64_t copies = std::max<std::int64_t>(1, far_bytes / bytes);
                AlignedBuffer packed(copies * bytes, nullptr);
                for (std::int64_t i = 0; i < copies; ++i)
                  pack_nchwc_weights(sizes, path, weights.as<float>(), isa,
                                     packed.as<float>() + i * bytes / 4, workers);
                AlignedBuffer workspace(
                    nchwc_conv_workspace_bytes(sizes, path, isa, workers.count()), nullptr);
                const Epilogue epilogue{.addend = Addend::per_row,
                                        .activation = Activation::relu,
                                        .added = bias.as<float>()};
                std::int64_t copy = 0;
                return best_seconds(options.seconds, [&] {
                  conv_nchwc(sizes, path, {.floats = x.as<float>()},
                             packed.as<float>() + copy * bytes / 4, {.floats = y.as<float>()},
                             epilogue, isa, workspace.data(), workers);
                  copy = (copy + 1) % copies;
                });
              });
  }
}

void run_conv(const Options& options) {
  for (const Layer& layer : layers) {
    const ConvSizes sizes = sizes_of(layer);
    const std::int64_t pixels = sizes.out[1] * sizes.out[2];
    const std::int64_t depth = layer.channels_in / layer.groups * layer.kernel * layer.kernel;
    const AlignedBuffer x = filled(layer.channels_in * layer.in * layer.in);
    const AlignedBuffer weights = filled(layer.channels_out * depth);
    const AlignedBuffer bias = filled(layer.channels_out);
    AlignedBuffer y = filled(layer.channels_out * pixels);
    const double operations = 2.0 * static_cast<double>(layer.channels_out) *
                              static_cast<double>(depth) * static_cast<double>(pixels);
    const ConvPath path = choose_conv_path(sizes);
    print_row(
        options, std::string("conv ") + layer.name, operations, [&](Isa isa, Workers& workers) {
          AlignedBuffer packed(packed_conv_weight_bytes(sizes, path, isa), nullptr);
          AlignedBuffer workspace(conv_workspace_bytes(sizes, path, isa, workers.count()), nullptr);
          pack_conv_weights(sizes, path, weights.as<float>(), isa, packed.as<float>(), workers);
          const Epilogue epilogue{
              .addend = Addend::per_row, .activation = Activation::relu, .added = bias.as<float>()};
          return best_seconds(options.seconds, [&] {
            conv(sizes, path, x.as<float>(), packed.as<float>(), y.as<float>(), epilogue, isa,
                 workspace.data(), workers);
          });
        });
  }
}

}  // namespace
}  // namespace ortool::cpu::bench

int main(int argc, char** argv) {
  using namespace ortool::cpu::bench;
  Options options;
  if (argc > 1) options.filter = argv[1];
  if (argc > 2) options.seconds = std::atof(argv[2]);
  run_families([&](std::string_view name) { return options.wants(name); }, options.seconds);
  std::printf("GFLOP/s, best of many runs; columns: each level with 1 and 2 threads\n");
  run_gemm(options);
  run_bf16_gemm(options);
  run_row(options);
  run_conv(options);
  run_blocked_conv(options);
  return 0;
}
