// What each file of kernel rows offers to the kernel list.
#pragma once

#include <span>

#include "providers/cpu/kernel_list.hpp"

namespace ortool::cpu {

std::span<const KernelRow> activation_kernels();
std::span<const KernelRow> arg_extreme_kernels();
std::span<const KernelRow> arithmetic_kernels();
std::span<const KernelRow> cast_kernels();
std::span<const KernelRow> clip_kernels();
std::span<const KernelRow> comparison_kernels();
std::span<const KernelRow> concat_kernels();
std::span<const KernelRow> conv_kernels();
std::span<const KernelRow> depth_to_space_kernels();
std::span<const KernelRow> dropout_kernels();
std::span<const KernelRow> gather_kernels();
std::span<const KernelRow> gemm_kernels();
std::span<const KernelRow> generator_kernels();
std::span<const KernelRow> is_nan_kernels();
std::span<const KernelRow> layer_normalization_kernels();
std::span<const KernelRow> matmul_kernels();
std::span<const KernelRow> normalization_kernels();
std::span<const KernelRow> pad_kernels();
std::span<const KernelRow> pool_kernels();
std::span<const KernelRow> prelu_kernels();
std::span<const KernelRow> reduction_kernels();
std::span<const KernelRow> softmax_kernels();
std::span<const KernelRow> strided_copy_kernels();
std::span<const KernelRow> unary_math_kernels();
std::span<const KernelRow> variadic_kernels();
std::span<const KernelRow> view_kernels();

}  // namespace ortool::cpu
