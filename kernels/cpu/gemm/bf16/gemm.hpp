// GEMM with bfloat16 operands: c = activate(alpha * a * b + beta * added + residual) in float32.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/cpu/gemm/f32/gemm.hpp"

namespace ortool::cpu {

/// Whether the processor multiplies bfloat16 at this level.
bool has_bf16_gemm(Isa isa);

/// Size of the packed b in bytes.
std::int64_t packed_bf16_b_bytes(std::int64_t k, std::int64_t n);

/// Rounds b (k × n) to bfloat16, ties to even, into `out` (packed_bf16_b_bytes, 64-byte aligned).
void pack_bf16_b(std::int64_t k, std::int64_t n, const StridedMatrix& b, Isa isa,
                 std::uint16_t* out, Workers& workers);

/// Bytes of workspace for `bf16_gemm`.
std::int64_t bf16_gemm_workspace_bytes(const GemmSizes& sizes);

/// A range of a product's columns that is stored as a matrix of its own.
struct Bf16Columns {
  std::int64_t count = 0;            ///< at least 1
  const std::uint16_t* b = nullptr;  ///< pack_bf16_b of these columns only
  float* c = nullptr;                ///< m × count
  std::int64_t c_stride = 0;
};

/// Rounds a, which is not transposed, to bfloat16, ties to even, and multiplies it by the pieces of
/// b in float32. sizes.n is the sum of their counts; epilogue and `workspace` (64-byte aligned) are
/// those of the whole product. Subnormal operands count as zero. c must not overlap any operand.
/// Each element's sum runs over k in order, so results do not depend on the number of threads; they
/// differ between AVX512-BF16 and AMX-BF16 in rounding only.
void bf16_gemm(const GemmSizes& sizes, const StridedMatrix& a, std::span<const Bf16Columns> pieces,
               const Epilogue& epilogue, Isa isa, void* workspace, Workers& workers);

}  // namespace ortool::cpu
