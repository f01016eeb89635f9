// Prints the speed of the CPU kernels for layers of known networks: kernels_bench [FILTER]
// [SECONDS].
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "kernels/cpu/gemm_f32.hpp"
#include "tests/benchmark/bench_support.hpp"

namespace ortool::cpu::bench {
namespace {

struct Options {
  std::string_view filter;
  double seconds = 0.1;

  bool wants(std::string_view name) const {
    return filter.empty() || name.find(filter) != std::string_view::npos;
  }
};

constexpr Isa levels[] = {Isa::baseline, Isa::avx2, Isa::avx512};

template <typename Measure>
void print_row(const Options& options, const std::string& name, double operations,
               Measure&& measure) {
  if (!options.wants(name)) return;
  std::printf("%-44s", name.c_str());
  for (const Isa isa : levels) {
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

}  // namespace
}  // namespace ortool::cpu::bench

int main(int argc, char** argv) {
  using namespace ortool::cpu::bench;
  Options options;
  if (argc > 1) options.filter = argv[1];
  if (argc > 2) options.seconds = std::atof(argv[2]);
  std::printf("GFLOP/s, best of many runs; columns: each level with 1 and 2 threads\n");
  run_gemm(options);
  return 0;
}
