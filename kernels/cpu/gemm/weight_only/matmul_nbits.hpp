// Weight-only quantized MatMul (MatMulNBits, MatMulBnb4): weights of 2, 4 or 8 bits with one scale
// per block.
#pragma once

#include <cstdint>

#include "kernels/cpu/gemm/f32/packed_product.hpp"
#include "kernels/cpu/isa/cpu_features.hpp"
#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

struct BlockMatMulSizes {
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t block_size = 0;  ///< even
  int bits = 4;                 ///< 2, 4 or 8
  bool has_zeros = false;       ///< zero points are given; else the middle code is zero
  /// With 4 bits and no zero points: the 16 values of codes, which must outlive the matrix. Null:
  /// codes are integers.
  const float* table = nullptr;

  std::int64_t blocks() const { return (k + block_size - 1) / block_size; }
};

/// The right operand as com.microsoft.MatMulNBits defines it: for each of n columns its blocks
/// along k. Codes are unsigned; with fewer than 8 bits, the first of a byte is in its low bits or,
/// as com.microsoft.MatMulBnb4 defines it, in its high bits.
struct BlockMatrix {
  const std::uint8_t* codes;        ///< n × blocks × block_size × bits / 8
  const float* scales;              ///< n × blocks
  const std::uint8_t* zero_points;  ///< n × ceil(blocks × bits / 8), or null
  bool starts_high = false;         ///< with 4 bits: the first code of a byte is in its high bits
};

std::int64_t packed_block_matrix_bytes(const BlockMatMulSizes& sizes);

/// Packs into `out`, in the original size except that each zero point takes one byte, and codes of
/// 2 bits take 4.
void pack_block_matrix(const BlockMatMulSizes& sizes, const BlockMatrix& matrix, std::byte* out);

/// Bytes of workspace for `block_matmul` run by up to `threads` threads; it may be 0.
std::int64_t block_matmul_workspace_bytes(std::int64_t m, const BlockMatMulSizes& sizes, Isa isa,
                                          int threads);

/// out (m × n) = epilogue(a (m × k) by a packed matrix), accumulated in order of k. Weights are
/// dequantized as they are multiplied or, for many rows, some hundred steps of k at a time; the
/// matrix is never dequantized as a whole. Of the epilogue, a per-column addend, the residual and
/// the activation are supported. Each sum is computed by one task, so results do not depend on the
/// number of threads.
void block_matmul(std::int64_t m, const BlockMatMulSizes& sizes, const float* a,
                  const std::byte* packed, float* out, const Epilogue& epilogue, Isa isa,
                  void* workspace, Workers& workers);

}  // namespace ortool::cpu
