// The two int8 GEMM algorithms: packed quads, and AMX tiles of unpacked rows.
#pragma once

#include "kernels/cpu/gemm/int8/matmul.hpp"

namespace ortool::cpu {

/// Arguments of both algorithms. `row_sums` holds the negated row sums if columns have zero points.
struct Int8MatMulCall {
  const Int8MatMulSizes& sizes;
  Int8Rows a;
  const std::byte* b;
  const Int8MatMulZeros& zeros;
  void* out;  ///< m × n
  const Epilogue& epilogue;
  Isa isa;
  std::byte* workspace;
  const std::int32_t* row_sums;
};

/// Zero-point corrections for the columns from `first` on.
struct ZeroPointTerms {
  ZeroPointTerm all[2];
  std::size_t count = 0;

  ZeroPointTerms(const Int8MatMulCall& call, std::int64_t first) {
    const Int8MatMulZeros& zeros = call.zeros;
    if (zeros.rows_negated != nullptr)
      all[count++] = {zeros.rows_negated, zeros.column_terms + first};
    if (zeros.columns != nullptr) all[count++] = {call.row_sums, zeros.columns + first};
  }
};

std::int64_t word_matmul_workspace_bytes(const Int8MatMulSizes& sizes, Isa isa);
void word_matmul(const Int8MatMulCall& call, Workers& workers);

std::int64_t tile_matmul_workspace_bytes(const Int8MatMulSizes& sizes);
void tile_matmul(const Int8MatMulCall& call, Workers& workers);

}  // namespace ortool::cpu
