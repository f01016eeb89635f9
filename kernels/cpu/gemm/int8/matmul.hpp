// Int8 MatMul, exact in int32: unsigned rows by signed columns.
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

/// The right factor: row-major k × n, or n × k when transposed, its bytes flipped (^ 128) when they
/// are unsigned.
struct Int8Matrix {
  const std::uint8_t* data;
  bool is_transposed = false;
  std::uint8_t flip = 0;
};

/// The left factor: m × k bytes, row-major.
struct ByteRows {
  const std::uint8_t* data;
  bool is_signed = false;
};

/// With what signed rows are flipped (^ 128) before they are multiplied: 0 where the level's
/// products take them as they are.
std::uint8_t row_flip(bool is_signed, Isa isa);

/// Zero points, each after the flip. Null: all 0, or taken into account by the epilogue's offsets.
struct Int8MatMulZeros {
  const std::int32_t* rows_negated = nullptr;  ///< less the left factor's, one a row
  /// One a column, where `rows_negated` is given: sum of the column - k * its zero point.
  const std::int32_t* column_terms = nullptr;
  const std::int32_t* columns = nullptr;  ///< the right factor's, one a column
};

std::int64_t packed_int8_matrix_bytes(std::int64_t k, std::int64_t n, Isa isa);

/// Packs into `out` (64-byte aligned) and writes the sums of the flipped columns.
void pack_int8_matrix(std::int64_t k, std::int64_t n, const Int8Matrix& b, Isa isa, std::byte* out,
                      std::int32_t* sums);

std::int64_t int8_matmul_workspace_bytes(const Int8MatMulSizes& sizes, Isa isa);

/// Multiplies rows by a packed matrix; the epilogue takes the sums of (a - zero) * (b - zero),
/// modulo 2^32. The same bits on every level and for any number of threads.
void int8_matmul(const Int8MatMulSizes& sizes, const ByteRows& a, const std::byte* packed_b,
                 const Int8MatMulZeros& zeros, const Int8ProductEpilogue& epilogue, Isa isa,
                 void* workspace, Workers& workers);

}  // namespace ortool::cpu
