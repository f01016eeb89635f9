// Kernels of the cpu provider that round the operands of float32 products to bfloat16.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "providers/cpu/kernel_list.hpp"

namespace ortool::cpu {

/// Best first within an operator; each list is one operator's file. A provider of that precision
/// tries those that has_bf16_row() before those of kernel_list().
std::vector<std::span<const KernelRow>> bf16_kernel_list();

/// Whether this processor can run the row, with kernels up to `most`.
bool has_bf16_row(const KernelRow& row, Isa most);

/// Whether a product by weights of k × n repays rounding the rows and padding to whole tiles.
inline bool gains_from_bf16_weights(std::int64_t k, std::int64_t n) {
  constexpr std::int64_t least = 16;
  return k >= least && n >= least;
}

}  // namespace ortool::cpu
