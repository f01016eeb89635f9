// Attention in float32: values weighted by how well their keys go with each query.
#pragma once

#include <cstdint>

#include "kernels/cpu/attention/attention_params.hpp"
#include "kernels/cpu/isa/cpu_features.hpp"
#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

/// Bytes of workspace for `attention` run by up to `threads` threads.
std::int64_t attention_workspace_bytes(const AttentionSizes& sizes, const AttentionRules& rules,
                                       Isa isa, int threads);

/// out = softmax(cap(scale · q · kᵀ) + mask) · v for each head; query heads share the heads of keys
/// and values in runs of equal length. A query that sees no key gives zeros. Keys that causality,
/// windows or lengths hide are not read; what the mask hides is read, and is added as -inf.
/// Sums in float32. Work is cut by the sizes and the lengths alone: the bits do not depend on
/// threads. `workspace` must have been sized for at least workers.count() threads.
void attention(const AttentionSizes& sizes, const AttentionRules& rules,
               const AttentionOperands<float>& operands, Isa isa, void* workspace,
               Workers& workers);

/// The same in float64, by plain loops and without workspace.
void attention_f64(const AttentionSizes& sizes, const AttentionRules& rules,
                   const AttentionOperands<double>& operands, Workers& workers);

}  // namespace ortool::cpu
