// Kernel list of the onednn provider.
#include "providers/onednn/kernel_list.hpp"

#include <array>

namespace ortool::onednn {

std::span<const KernelRow> kernel_list() {
  // clang-format off: one line an operator
  static constexpr std::array<KernelRow, 8> list = {{
      {"onednn_conv", "Conv", refuses_conv, compile_conv, conv_absorbs, conv_layouts},
      {"onednn_conv_transpose", "ConvTranspose", refuses_conv, compile_conv, nullptr, conv_layouts},
      {"onednn_gemm", "Gemm", refuses_gemm, compile_gemm, product_absorbs},
      {"onednn_matmul", "MatMul", refuses_matmul, compile_matmul, product_absorbs},
      {"onednn_max_pool", "MaxPool", refuses_pool, compile_pool, nullptr, pool_layouts},
      {"onednn_average_pool", "AveragePool", refuses_pool, compile_pool, nullptr, pool_layouts},
      {"onednn_global_max_pool", "GlobalMaxPool", refuses_pool, compile_pool},
      {"onednn_global_average_pool", "GlobalAveragePool", refuses_pool, compile_pool},
  }};
  // clang-format on
  return list;
}

}  // namespace ortool::onednn
