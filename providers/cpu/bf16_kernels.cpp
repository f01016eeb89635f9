// Kernels with bfloat16 operands, one line per file.
#include "providers/cpu/bf16_kernels.hpp"

#include "kernels/cpu/isa/bf16_features.hpp"
#include "kernels/cpu/isa/built_features.hpp"

namespace ortool::cpu {

std::span<const KernelRow> bf16_attention_kernels();
std::span<const KernelRow> bf16_conv_kernels();
std::span<const KernelRow> bf16_gemm_kernels();
std::span<const KernelRow> bf16_group_query_attention_kernels();
std::span<const KernelRow> bf16_matmul_kernels();
std::span<const KernelRow> bf16_multi_head_attention_kernels();

std::vector<std::span<const KernelRow>> bf16_kernel_list() {
  if constexpr (!has_16_bit_floats) return {};
  return {bf16_attention_kernels(), bf16_conv_kernels(),
          bf16_gemm_kernels(),      bf16_group_query_attention_kernels(),
          bf16_matmul_kernels(),    bf16_multi_head_attention_kernels()};
}

bool has_bf16_row(const KernelRow& row, Isa most) {
  return row.isa <= most && (row.isa == Isa::amx ? has_amx_bf16() : has_avx512_bf16());
}

}  // namespace ortool::cpu
