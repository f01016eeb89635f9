// Linear attention: a matrix a head that each step fades, corrects and reads.
#pragma once

#include <cstdint>

#include "kernels/cpu/isa/cpu_features.hpp"
#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

struct LinearAttentionSizes {
  std::int64_t batch = 0;
  std::int64_t length = 0;
  std::int64_t query_heads = 0;
  std::int64_t shared_heads = 0;  ///< of keys, values and states; it divides query_heads
  std::int64_t key_size = 0;
  std::int64_t value_size = 0;
};

/// Operands batch × length × (heads side by side).
struct LinearAttentionOperands {
  const float* queries = nullptr;
  const float* keys = nullptr;
  const float* values = nullptr;
  const float* decay = nullptr;  ///< logarithms of factors: one a head, or one a row of its state
  bool has_decay_rows = false;
  const float* beta = nullptr;  ///< one a step, or one a head
  bool has_beta_heads = false;
  float scale = 1;
  float* out = nullptr;
  float* state = nullptr;  ///< batch × shared_heads × key_size × value_size: before, then after
};

/// Bytes of workspace for up to `threads` threads.
std::int64_t linear_attention_workspace_bytes(const LinearAttentionSizes& sizes, int threads);

/// For each step: S = e^decay · S; v = beta (v - Sᵀ k), where beta is given; S += k ⊗ v; out =
/// scale · Sᵀ q. Columns of the states are cut by their number alone: the bits do not depend on
/// threads. `workspace` must have been sized for at least workers.count() threads.
void linear_attention(const LinearAttentionSizes& sizes, const LinearAttentionOperands& operands,
                      Isa isa, void* workspace, Workers& workers);

}  // namespace ortool::cpu
