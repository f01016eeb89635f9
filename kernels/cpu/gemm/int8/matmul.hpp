// Int8 MatMul, exact in int32: u8 rows by s8 columns.
#pragma once

#include <cstdint>

#include "kernels/cpu/gemm/int8/packed_product.hpp"
#include "kernels/cpu/isa/cpu_features.hpp"
#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

struct Int8MatMulSizes {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
};

/// The right operand: row-major k × n, or n × k if transposed; unsigned values are flipped (^ 128).
struct Int8Matrix {
  const std::uint8_t* data;
  bool is_transposed = false;
  std::uint8_t flip = 0;
};

/// The left operand: m × k values, row-major.
struct Int8Rows {
  const std::uint8_t* data;
  bool is_signed = false;
};

/// XOR mask for signed rows before they are multiplied: 128, or 0 if the instruction set multiplies
/// signed rows.
std::uint8_t row_flip(bool is_signed, Isa isa);

/// Zero points after the flip. Null: all 0, or included in the epilogue's offsets.
struct Int8MatMulZeros {
  const std::int32_t* rows_negated = nullptr;  ///< the left operand's, negated, one per row
  /// One per column, if `rows_negated` is given: sum of the column - k * its zero point.
  const std::int32_t* column_terms = nullptr;
  const std::int32_t* columns = nullptr;  ///< the right operand's, one per column
};

std::int64_t packed_int8_matrix_bytes(std::int64_t k, std::int64_t n, Isa isa);

/// Packs into `out` (64-byte aligned) and writes the sum of each flipped column.
void pack_int8_matrix(std::int64_t k, std::int64_t n, const Int8Matrix& b, Isa isa, std::byte* out,
                      std::int32_t* sums);

std::int64_t int8_matmul_workspace_bytes(const Int8MatMulSizes& sizes, Isa isa);

/// Multiplies rows by a packed matrix into `out` (m × n); the epilogue, whose channels are columns,
/// receives the sums of (a - zero) * (b - zero), modulo 2^32. Bit-identical on all instruction sets
/// and for any number of threads.
void int8_matmul(const Int8MatMulSizes& sizes, const Int8Rows& a, const std::byte* packed_b,
                 const Int8MatMulZeros& zeros, void* out, const Epilogue& epilogue, Isa isa,
                 void* workspace, Workers& workers);

}  // namespace ortool::cpu
