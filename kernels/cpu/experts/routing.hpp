// Mixture of experts: the choice of experts for each token, and gated activations between layers.
#pragma once

#include <cstdint>

#include "kernels/cpu/isa/cpu_features.hpp"
#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

struct ExpertSizes {
  std::int64_t tokens = 0;
  std::int64_t experts = 0;
  std::int64_t chosen = 1;  ///< for each token, at most `experts`
};

/// Tokens sorted by expert; those of expert e are [starts[e], starts[e + 1]).
struct ExpertChoice {
  std::int32_t* starts = nullptr;   ///< experts + 1
  std::int32_t* tokens = nullptr;   ///< tokens × chosen
  float* weights = nullptr;         ///< tokens × chosen
  std::int32_t* picked = nullptr;   ///< scratch: tokens × chosen
  float* picked_weights = nullptr;  ///< scratch: tokens × chosen
};

/// Chooses each token's experts with the largest logits, the first of equal ones. Their weights are
/// those of the softmax over all experts or, if given, `mixing` (tokens × experts); `normalizes`
/// scales them to sum to 1.
void choose_experts(const ExpertSizes& sizes, const float* logits, const float* mixing,
                    bool normalizes, const ExpertChoice& choice);

/// Where the gate and the value of a gated activation stand: value = gate + `value_offset`, and
/// both `step` apart.
struct GatedRows {
  const float* gate = nullptr;
  const float* value = nullptr;
  std::int64_t row_stride = 0;  ///< of both
  std::int64_t step = 1;
};

/// out = g · sigmoid(alpha · g) · (v + beta) with g = min(gate, limit), v clamped to ± limit; rows
/// × columns. `out` may not overlap.
void gate_rows(const GatedRows& in, std::int64_t rows, std::int64_t columns, float alpha,
               float beta, float limit, float* out, Isa isa, Workers& workers);

/// to[i] += weight · from[i] for each of `rows` rows, where row i belongs to token tokens[i].
void add_weighted_rows(const float* from, const std::int32_t* tokens, const float* weights,
                       std::int64_t rows, std::int64_t columns, float* to, Workers& workers);

/// to[i] = the row of token tokens[i].
void copy_rows(const float* from, const std::int32_t* tokens, std::int64_t rows,
               std::int64_t columns, float* to, Workers& workers);

/// a[i] *= b[i].
void multiply_elements(float* a, const float* b, std::int64_t count, Workers& workers);

}  // namespace ortool::cpu
