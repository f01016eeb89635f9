// What the cpu provider offers for products with weights in blocks of few bits.
#pragma once

#include <span>

#include "providers/cpu/kernel_list.hpp"

namespace ortool::cpu {

/// The rows of com.microsoft.MatMulNBits.
std::span<const KernelRow> matmul_n_bits_kernels();

}  // namespace ortool::cpu
