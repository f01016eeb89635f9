// Attention task: a block of query rows that share one key/value head.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cpu/attention/attention_params.hpp"
#include "kernels/cpu/isa/cpu_features.hpp"

namespace ortool::cpu {

/// How the query rows of each key/value head are partitioned into tasks. Rows are the queries of
/// all query heads that share it, one head after the other.
struct AttentionPartition {
  std::int64_t rows = 0;        ///< that share a key/value head
  std::int64_t task_rows = 0;   ///< the last task of a head may have fewer
  std::int64_t tasks = 0;       ///< per key/value head
  std::int64_t block_rows = 0;  ///< rows whose scores a task holds at once
  std::int64_t grain = 0;       ///< tasks, over all heads, handed to a thread at once
  bool is_skinny = false;       ///< keys and values are read in place
};

AttentionPartition partition_attention(const AttentionSizes& sizes, const AttentionRules& rules,
                                       Isa isa);

/// Size of each part of a task's workspace, in floats.
struct AttentionSpace {
  std::int64_t keys = 0;
  std::int64_t values = 0;
  std::int64_t queries = 0;
  std::int64_t scores = 0;
  std::int64_t sums = 0;
  std::int64_t decoded_keys = 0;
  std::int64_t decoded_values = 0;
  std::int64_t rows = 0;  ///< rounded to bfloat16

  std::int64_t bytes() const;
};

AttentionSpace attention_space(const AttentionSizes& sizes, const AttentionRules& rules,
                               const AttentionPartition& cut, Isa isa);

/// Query rows [begin, end) of one key/value head of one batch.
struct AttentionTask {
  std::int64_t batch = 0;
  std::int64_t head = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// Everything that all tasks of one call share.
struct AttentionCall {
  const AttentionSizes& sizes;
  const AttentionRules& rules;
  const AttentionOperands<float>& operands;
  const AttentionPartition& cut;
  Isa isa;
};

void run_attention_task(const AttentionCall& call, const AttentionTask& task, float* workspace);

}  // namespace ortool::cpu
