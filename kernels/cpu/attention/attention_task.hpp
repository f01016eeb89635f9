// One task of attention: some query rows that share a head of keys and values.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cpu/attention/attention_params.hpp"
#include "kernels/cpu/isa/cpu_features.hpp"

namespace ortool::cpu {

/// How the query rows of each shared head are cut into tasks. A row is a query of one of the heads
/// that share it, head by head.
struct AttentionCut {
  std::int64_t rows = 0;        ///< that share a head
  std::int64_t task_rows = 0;   ///< the last task of a head may have fewer
  std::int64_t tasks = 0;       ///< of a head
  std::int64_t block_rows = 0;  ///< whose scores a task holds at once
  std::int64_t grain = 0;       ///< tasks of all heads that are worth a hand-over
  bool is_skinny = false;       ///< keys and values are read where they lie
};

AttentionCut cut_attention(const AttentionSizes& sizes, const AttentionRules& rules, Isa isa);

/// Floats of each part of a task's workspace.
struct AttentionSpace {
  std::int64_t keys = 0;
  std::int64_t values = 0;
  std::int64_t queries = 0;
  std::int64_t scores = 0;
  std::int64_t sums = 0;

  std::int64_t bytes() const;
};

AttentionSpace attention_space(const AttentionSizes& sizes, const AttentionCut& cut, Isa isa);

/// Query rows [begin, end) of a head of a batch.
struct AttentionTask {
  std::int64_t batch = 0;
  std::int64_t head = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// Everything of one call but the task.
struct AttentionCall {
  const AttentionSizes& sizes;
  const AttentionRules& rules;
  const AttentionOperands<float>& operands;
  const AttentionCut& cut;
  Isa isa;
};

void run_attention_task(const AttentionCall& call, const AttentionTask& task, float* workspace);

}  // namespace ortool::cpu
