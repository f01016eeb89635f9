// Peak rates of one thread: multiplications in registers by type and level, and bandwidth.
#pragma once

#include <cstdint>

#include "kernels/cpu/isa/cpu_features.hpp"

namespace ortool::cpu::bench {

/// Measured on the spot; a multiplication and an addition count as two operations.
struct PeakRates {
  double float32_gflops = 0;
  double bf16_gflops = 0;  ///< 0: the level has no kernels for it
  double int8_gops = 0;    ///< with the instructions that kernels of the level use
};

/// In about a tenth of a second.
PeakRates measure_peak_rates(Isa isa);

/// Billions of bytes a second, read and written, of sums of two arrays that take `bytes` with their
/// result: the bandwidth of the cache that holds so many, or of memory.
double peak_bandwidth(Isa isa, std::int64_t bytes);

}  // namespace ortool::cpu::bench
