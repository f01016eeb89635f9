// GEMM with a packed right operand, in the precision of a session and the type of the weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/cpu/gemm/f32/gemm.hpp"
#include "libcore/base/precision.hpp"
#include "libcore/tensor/data_type.hpp"

namespace ortool::cpu {

/// How a product is computed: float32, or bfloat16 where has_bf16_gemm(isa).
struct GemmKind {
  Isa isa = Isa::baseline;
  Precision operands = Precision::float32;
  /// What the packed b of a float32 product is kept in: float32; float16 or bfloat16, where these
  /// hold it exactly.
  DataType weights = DataType::float32;
};

/// As the functions of f32/gemm.hpp, fp16_weights/gemm.hpp and bf16/gemm.hpp that they call.
std::int64_t packed_b_bytes(std::int64_t k, std::int64_t n, GemmKind kind);
void pack_b(std::int64_t k, std::int64_t n, const StridedMatrix& b, GemmKind kind, std::byte* out,
            Workers& workers);
std::int64_t gemm_workspace_bytes(const GemmSizes& sizes, GemmKind kind);
void gemm(const GemmSizes& sizes, const StridedMatrix& a, const std::byte* packed_b, float* c,
          std::int64_t c_stride, const Epilogue& epilogue, GemmKind kind, void* workspace,
          Workers& workers);
void gemm_columns(const GemmSizes& sizes, const StridedMatrix& a,
                  std::span<const GemmColumns> pieces, const Epilogue& epilogue, GemmKind kind,
                  void* workspace, Workers& workers);

}  // namespace ortool::cpu
