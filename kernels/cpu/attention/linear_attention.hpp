// Linear attention: a recurrent state matrix per head with decay and delta-rule updates.
#pragma once

#include <cstdint>

#include "kernels/cpu/isa/cpu_features.hpp"
#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

struct LinearAttentionSizes {
  std::int64_t batch = 0;
  std::int64_t length = 0;
  std::int64_t query_heads = 0;   ///< divides shared_heads, or is divided by it
  std::int64_t key_heads = 0;     ///< divides shared_heads
  std::int64_t shared_heads = 0;  ///< of values and states
  std::int64_t key_size = 0;
  std::int64_t value_size = 0;
};

/// Operands are batch × length × (heads side by side).
struct LinearAttentionOperands {
  const float* queries = nullptr;
  const float* keys = nullptr;
  const float* values = nullptr;
  const float* decay = nullptr;  ///< log of the decay factors: one per head, or one per state row
  bool has_decay_rows = false;
  const float* beta = nullptr;  ///< one per step, or one per head
  bool has_beta_heads = false;
  float scale = 1;
  float* out = nullptr;
  float* state = nullptr;  ///< batch × shared_heads × key_size × value_size: in and out
};

/// Bytes of workspace for up to `threads` threads.
std::int64_t linear_attention_workspace_bytes(const LinearAttentionSizes& sizes, int threads);

/// For each step: S = e^decay · S; v = beta (v - Sᵀ k), where beta is given; S += k ⊗ v; out =
/// scale · Sᵀ q, for each query head, or for each state where there are fewer queries. The
/// partition of state columns depends on their number only, so results are bit-identical for any
/// number of threads. `workspace` must be sized for at least workers.count() threads.
void linear_attention(const LinearAttentionSizes& sizes, const LinearAttentionOperands& operands,
                      Isa isa, void* workspace, Workers& workers);

}  // namespace ortool::cpu
