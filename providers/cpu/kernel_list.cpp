// The table of contents of the cpu provider: a line for each file of kernels.
#include "providers/cpu/kernel_list.hpp"

#include "providers/cpu/kernel_files.hpp"

namespace ortool::cpu {

std::span<const std::span<const KernelRow>> kernel_list() {
  // clang-format off: one line a file
  static const std::vector<std::span<const KernelRow>> list = {
      activation_kernels(),
      arg_extreme_kernels(),
      arithmetic_kernels(),
      cast_kernels(),
      clip_kernels(),
      comparison_kernels(),
      concat_kernels(),
      conv_kernels(),
      depth_to_space_kernels(),
      dropout_kernels(),
      gather_kernels(),
      gemm_kernels(),
      generator_kernels(),
      is_nan_kernels(),
      layer_normalization_kernels(),
      matmul_kernels(),
      normalization_kernels(),
      pad_kernels(),
      pool_kernels(),
      prelu_kernels(),
      reduction_kernels(),
      softmax_kernels(),
      strided_copy_kernels(),
      unary_math_kernels(),
      variadic_kernels(),
      view_kernels(),
  };
  // clang-format on
  return list;
}

}  // namespace ortool::cpu
