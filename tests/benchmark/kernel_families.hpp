// Kernel families: one benchmark for each family of CPU kernels, with its share of the ceiling.
#pragma once

#include <functional>
#include <string_view>

namespace ortool::cpu::bench {

/// Prints a line for each family that `wants` its name: on one thread, at every instruction-set
/// level, the rate (GFLOP/s, int8 operations included, or GB/s of operands and results) and its
/// share of the ceiling, which is measured on the spot: the longer of the times that its
/// multiplications take in registers, and its bytes at the bandwidth of as many. Above 100 % is
/// Winograd's algorithm, which multiplies less. Each is measured for about `seconds`.
void run_families(const std::function<bool(std::string_view)>& wants, double seconds);

}  // namespace ortool::cpu::bench
