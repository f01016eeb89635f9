// Roofline of a kernel call: its arithmetic, its traffic, and what a call costs however little it does.
// The constants were fitted on one x86 processor (docs/benchmarks/2026-11-28-footprint.md).
#include "libcore/measure/estimate/node_estimate.hpp"

#include <algorithm>
#include <cmath>

namespace ortool {
namespace {

/// Share of the peak that a product of great depth reaches.
constexpr double product_efficiency = 0.8;
constexpr double int8_efficiency = 0.7;
/// Convolutions with fewer channels leave lanes of vectors idle.
constexpr double channels_of_full_vectors = 16;
/// Winograd's F(4, 3) in two dimensions, its transformations of an element read or written, and the
/// least for each filter element, four times of which are read. It has to gain a quarter.
constexpr double macs_saved_by_winograd = 4;
constexpr double macs_per_transformed_element = 18;
constexpr double macs_per_filter_element = 34;
constexpr double gain_of_winograd = 1.25;
/// A tile's result is loaded and stored once for all products that are added to it: as long as these.
constexpr double depth_of_half_efficiency = 6;
/// Cycles of one lane for a function of one element, in multiply-adds.
constexpr double macs_per_function = 14;
constexpr double instructions_per_moved_element = 2;
constexpr double instructions_per_step = 12;
/// A call of a kernel, and handing out its work to threads and waiting for them.
constexpr double instructions_per_call = 900;
/// More in a body, whose values are found anew in each iteration.
constexpr double instructions_per_nested_call = 2500;
constexpr double instructions_per_fork = 12000;
constexpr double instructions_per_run = 9000;

double vector_macs(const Device& device) {
  return device.vector_pipes * device.vector_bits / 32.0;
}

/// Bytes a cycle of one core for a working set, when `threads` cores are at work.
double bytes_per_cycle(const Device& device, double bytes, int threads) {
  for (const CacheLevel& level : device.caches) {
    const double each = level.is_shared ? bytes : bytes / threads;
    if (each <= static_cast<double>(level.bytes)) return level.bytes_per_cycle;
  }
  const double gbytes = std::min(device.memory_gbytes_per_s_per_core,
                                 device.memory_gbytes_per_s / threads);
  return gbytes / device.clock_ghz;
}

struct KernelCycles {
  double arithmetic = 0;
  double traffic = 0;
  bool is_cached = false;
};

double product_cycles(const KernelWork& work, const Device& device) {
  double rate = macs_per_cycle(device, work.is_int8) *
                (work.is_int8 ? int8_efficiency : product_efficiency) * work.depth /
                (work.depth + depth_of_half_efficiency);
  if (work.channels > 0) rate *= std::min(1.0, work.channels / channels_of_full_vectors);
  if (work.winograd_channels <= 0 || work.is_int8) return work.macs / rate;
  const auto padding = [](double channels) {
    return std::ceil(channels / channels_of_full_vectors) * channels_of_full_vectors / channels;
  };
  const double filter_elements = 9 * work.winograd_channels * work.channels;
  const double transformed =
      std::max(work.macs / macs_saved_by_winograd * padding(work.winograd_channels) *
                       padding(work.channels) +
                   work.winograd_elements * macs_per_transformed_element,
               filter_elements * macs_per_filter_element);
  return (transformed * gain_of_winograd < work.macs ? transformed : work.macs) / rate;
}

/// Of each of `threads` cores.
KernelCycles cycles_of(const KernelWork& work, const Device& device, int threads,
                       double resident_bytes) {
  KernelCycles cycles;
  if (work.macs > 0) cycles.arithmetic += product_cycles(work, device);
  cycles.arithmetic += work.functions * macs_per_function / vector_macs(device);
  cycles.arithmetic += (work.moved * instructions_per_moved_element +
                        work.steps * instructions_per_step) /
                       device.instructions_per_cycle;
  const double memory_rate = bytes_per_cycle(device, INFINITY, threads);
  const double values = work.bytes - work.weight_bytes;
  // Values were just written by the kernels before; constants were last read a run ago.
  const double value_rate = bytes_per_cycle(device, work.bytes, threads);
  const double weight_rate = bytes_per_cycle(device, std::max(work.bytes, resident_bytes), threads);
  cycles.traffic = values / value_rate + work.weight_bytes / weight_rate;
  cycles.is_cached = value_rate > memory_rate && (work.weight_bytes == 0 || weight_rate > memory_rate);
  cycles.arithmetic /= threads;
  cycles.traffic /= threads;
  return cycles;
}

}  // namespace

double macs_per_cycle(const Device& device, bool is_int8) {
  const double pipes_of_128 = device.vector_pipes * device.vector_bits / 128.0;
  if (!is_int8) return 4 * pipes_of_128;
  // Int8 multiply-adds of one instruction on 128 bits, or their number divided by that of the
  // instructions needed: multiply, add pairs, add.
  if (device.has_isa("amx-int8")) return 1024;
  if (device.has_isa("i8mm")) return 32 * pipes_of_128;
  if (device.has_isa("dotprod") || device.has_isa("vnni")) return 16 * pipes_of_128;
  if (device.has_isa("avx2")) return 16.0 / 3 * pipes_of_128;
  return 4 * pipes_of_128;
}

KernelTime estimate_kernel(const KernelWork& work, const Device& device, int threads,
                           double resident_bytes) {
  const double cycles_per_s = device.clock_ghz * 1e9;
  const auto total = [](const KernelCycles& cycles) {
    return std::max(cycles.arithmetic, cycles.traffic);
  };
  KernelCycles cycles = cycles_of(work, device, 1, resident_bytes);
  double overhead = (work.is_nested ? instructions_per_nested_call : instructions_per_call) /
                    device.instructions_per_cycle;
  const int used = std::min(threads, device.cores);
  if (used > 1) {
    const KernelCycles split = cycles_of(work, device, used, resident_bytes);
    const double fork = instructions_per_fork / device.instructions_per_cycle;
    if (total(split) + fork < total(cycles)) {
      cycles = split;
      overhead += fork;
    }
  }
  KernelTime time;
  time.seconds = (total(cycles) + overhead) / cycles_per_s;
  if (overhead > total(cycles)) {
    time.bound = Bound::overhead;
  } else if (cycles.arithmetic >= cycles.traffic) {
    time.bound = Bound::compute;
  } else {
    time.bound = cycles.is_cached ? Bound::cache : Bound::memory;
  }
  return time;
}

double estimate_run_overhead(const Device& device) {
  return instructions_per_run / device.instructions_per_cycle / (device.clock_ghz * 1e9);
}

}  // namespace ortool
