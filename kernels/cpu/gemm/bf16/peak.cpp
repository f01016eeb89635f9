// Peak rates of bfloat16 and float32 multiplication: the best of interleaved rounds.
#include "kernels/cpu/gemm/bf16/peak.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "kernels/cpu/gemm/bf16/gemm.hpp"
#include "kernels/cpu/gemm/bf16/microkernel.hpp"
#include "kernels/cpu/isa/roofline_probe.hpp"
#include "libcore/base/error.hpp"

namespace ortool::cpu {
namespace {

/// Operations of a timed round: some ten microseconds of the fastest instruction.
constexpr double peak_flops = 1e6;
constexpr int peak_rounds = 24;

using RegisterLoop = float (*)(std::int64_t rounds);

/// Billions of operations a second; the result of the loop must be finite.
double rate_of(RegisterLoop loop, double flops_per_round) {
  const auto rounds = static_cast<std::int64_t>(peak_flops / flops_per_round) + 1;
  const auto start = std::chrono::steady_clock::now();
  const float sum = loop(rounds);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  ORTOOL_CHECK(std::isfinite(sum));
  return static_cast<double>(rounds) * flops_per_round / std::max(taken.count(), 1e-9) * 1e-9;
}

bool measure_gain(Isa isa) {
  const Bf16GemmFunctions* functions = bf16_gemm_functions(isa);
  if (functions == nullptr) return false;
  const RooflineLoops& floats = roofline_loops(isa);
  double of_bf16 = 0;
  double of_floats = 0;
  for (int round = 0; round < peak_rounds; ++round) {
    of_bf16 = std::max(of_bf16, rate_of(functions->multiply_registers, functions->flops_per_round));
    of_floats = std::max(of_floats, rate_of(floats.multiply_add, floats.flops_per_round));
  }
  return of_bf16 >= 1.5 * of_floats;
}

}  // namespace

double bf16_peak_gflops(Isa isa) {
  const Bf16GemmFunctions* functions = bf16_gemm_functions(isa);
  ORTOOL_CHECK(functions != nullptr);
  double best = 0;
  for (int round = 0; round < 20 * peak_rounds; ++round)
    best = std::max(best, rate_of(functions->multiply_registers, functions->flops_per_round));
  return best;
}

bool gains_from_bf16(Isa isa) {
  if (isa < Isa::avx512) return false;
  if (isa == Isa::avx512) {
    static const bool gains = measure_gain(Isa::avx512);
    return gains;
  }
  static const bool gains = measure_gain(Isa::amx);
  return gains;
}

}  // namespace ortool::cpu
