// The two ways to multiply int8 matrices: packed quads, or AMX tiles of rows as they lie.
#pragma once

#include "kernels/cpu/gemm/int8/matmul.hpp"

namespace ortool::cpu {

/// What both take. `row_sums` holds less the sums of the rows, where columns have zero points.
struct ByteMatMulCall {
  const ByteMatMulSizes& sizes;
  ByteRows a;
  const std::byte* b;
  const ByteMatMulZeros& zeros;
  const ByteEpilogue& epilogue;
  Isa isa;
  std::byte* workspace;
  const std::int32_t* row_sums;
};

/// What zero points add to the columns from `first` on.
struct ByteOuters {
  ByteOuter all[2];
  std::size_t count = 0;

  ByteOuters(const ByteMatMulCall& call, std::int64_t first) {
    const ByteMatMulZeros& zeros = call.zeros;
    if (zeros.rows_negated != nullptr)
      all[count++] = {zeros.rows_negated, zeros.column_terms + first};
    if (zeros.columns != nullptr) all[count++] = {call.row_sums, zeros.columns + first};
  }
};

std::int64_t word_matmul_workspace_bytes(const ByteMatMulSizes& sizes, Isa isa);
void word_matmul(const ByteMatMulCall& call, Workers& workers);

std::int64_t tile_matmul_workspace_bytes(const ByteMatMulSizes& sizes);
void tile_matmul(const ByteMatMulCall& call, Workers& workers);

}  // namespace ortool::cpu
