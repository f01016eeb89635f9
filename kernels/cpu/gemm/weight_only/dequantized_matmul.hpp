// MatMul with weights stored as codes of a table: any zero points, any order of groups, FP4, NF4
// and FP8 (MatMulBnb4, MatMulFpQ4 and the rarer forms of MatMulNBits).
#pragma once

#include <cstdint>

#include "kernels/cpu/gemm/f32/packed_product.hpp"
#include "kernels/cpu/isa/cpu_features.hpp"
#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

/// A matrix of `rows` stored rows by `steps` codes: (table[code] - zero point) * scale.
struct CodedMatrix {
  std::int64_t rows = 0;
  std::int64_t steps = 0;
  const std::uint8_t* codes = nullptr;
  std::int64_t row_codes = 0;  ///< codes from one row to the next
  int bits = 4;                ///< 2, 4 or 8; the first code of a byte is in its low bits
  bool starts_high = false;    ///< with 4 bits: it is in the high bits
  const float* table = nullptr;
  const float* scales = nullptr;  ///< rows × blocks; or, if `is_flat`, one for each block of codes
  const float* zeros = nullptr;   ///< one for each scale; null: none
  std::int64_t block_size = 0;
  bool is_flat = false;                  ///< blocks run on from row to row
  const std::int32_t* groups = nullptr;  ///< the block of each step; null: in order
  bool is_transposed = false;            ///< the stored rows are the columns of the product

  std::int64_t blocks() const { return (steps + block_size - 1) / block_size; }
  std::int64_t columns() const { return is_transposed ? rows : steps; }
  std::int64_t depth() const { return is_transposed ? steps : rows; }
};

/// out[i] = table[code `begin + i` of a stored row].
void decode_codes(const CodedMatrix& matrix, std::int64_t row, std::int64_t begin, std::int64_t end,
                  float* out);

/// out[i] = element `begin + i` of a stored row.
void dequantize_codes(const CodedMatrix& matrix, std::int64_t row, std::int64_t begin,
                      std::int64_t end, float* out);

/// Bytes of workspace for `dequantized_matmul` run by up to `threads` threads.
std::int64_t dequantized_matmul_workspace_bytes(std::int64_t m, const CodedMatrix& matrix, Isa isa,
                                                int threads);

/// out (m × columns) = epilogue(a (m × depth) by the matrix), accumulated in order of the depth.
/// Weights are dequantized some hundred steps at a time. The groups' numbers must be valid. Results
/// do not depend on the number of threads.
void dequantized_matmul(std::int64_t m, const CodedMatrix& matrix, const float* a, float* out,
                        const Epilogue& epilogue, Isa isa, void* workspace, Workers& workers);

}  // namespace ortool::cpu
