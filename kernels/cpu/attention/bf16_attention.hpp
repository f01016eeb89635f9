// Products of attention with operands rounded to bfloat16, for the rows of a task.
#pragma once

#include <cstdint>

#include "kernels/cpu/attention/attention_params.hpp"
#include "kernels/cpu/gemm/bf16/microkernel.hpp"
#include "kernels/cpu/gemm/f32/packed_product.hpp"
#include "kernels/cpu/isa/cpu_features.hpp"

namespace ortool::cpu {

/// Floats that packed matrices of a task take.
struct Bf16AttentionSpace {
  std::int64_t keys = 0;
  std::int64_t values = 0;
  std::int64_t rows = 0;  ///< queries, then weights, of a block

  Bf16AttentionSpace(const AttentionSizes& sizes, std::int64_t block_rows);
};

/// Keys and values that are packed once per task, multiplied by blocks of rows. Subnormal operands
/// count as zero.
class Bf16AttentionProducts {
 public:
  /// Memory for Bf16AttentionSpace, 64-byte aligned.
  Bf16AttentionProducts(const AttentionSizes& sizes, Isa isa, float* keys, float* values,
                        float* rows);

  /// Packs `count` keys, one per row of the transposed matrix, and as many rows of values.
  void pack(const StridedMatrix& keys, const StridedMatrix& values, std::int64_t count);

  /// scores = queries · keysᵀ, for all packed keys.
  void multiply_keys(const float* queries, std::int64_t rows, float* scores,
                     std::int64_t scores_stride) const;
  /// sums = weights · values, for all packed values.
  void multiply_values(const float* weights, std::int64_t weights_stride, std::int64_t rows,
                       float* sums) const;

 private:
  void multiply(const float* a, std::int64_t a_stride, std::int64_t rows, std::int64_t k,
                const std::uint16_t* b, std::int64_t columns, float* c,
                std::int64_t c_stride) const;

  const Bf16GemmFunctions& functions_;
  std::int64_t key_size_;
  std::int64_t value_size_;
  std::int64_t count_ = 0;
  std::uint16_t* keys_;
  std::uint16_t* values_;
  std::uint16_t* rows_;
};

}  // namespace ortool::cpu
