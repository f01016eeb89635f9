// Scaled dot-product attention in float32.
#pragma once

#include <cstdint>

#include "kernels/cpu/attention/attention_params.hpp"
#include "kernels/cpu/isa/cpu_features.hpp"
#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

/// Bytes of workspace for `attention` run by up to `threads` threads.
std::int64_t attention_workspace_bytes(const AttentionSizes& sizes, const AttentionRules& rules,
                                       Isa isa, int threads);

/// out = softmax(cap(scale · q · kᵀ) + mask) · v for each head. Consecutive groups of query heads
/// share a key/value head (grouped-query attention). A query that sees no key yields zeros. Keys
/// hidden by causality, windows or lengths are not read; keys hidden by the mask are read and get
/// -inf added. Accumulates in float32. The partition depends on sizes and lengths only, so results
/// are bit-identical for any number of threads. `workspace` must be sized for at least
/// workers.count() threads.
void attention(const AttentionSizes& sizes, const AttentionRules& rules,
               const AttentionOperands<float>& operands, Isa isa, void* workspace,
               Workers& workers);

/// The same in float64, with plain loops and no workspace.
void attention_f64(const AttentionSizes& sizes, const AttentionRules& rules,
                   const AttentionOperands<double>& operands, Workers& workers);

}  // namespace ortool::cpu
