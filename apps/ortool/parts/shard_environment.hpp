// Shard of the environment: the variables in which schedulers tell a process which of many it is.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "libcore/dataset/parts/shard.hpp"

namespace ortool {

/// The value of an environment variable; null: not set.
using VariableLookup = std::function<const char*(const char* name)>;

/// A shard, and the variable that told its number.
struct FoundShard {
  Shard shard;
  std::string variable;
};

/// The first of these that is set: SLURM_ARRAY_TASK_ID, JOB_COMPLETION_INDEX (Kubernetes),
/// OMPI_COMM_WORLD_RANK, PMI_RANK and SLURM_PROCID. `count`: the number of shards, where the
/// user gives it. Throws ErrorCode::invalid if none is set, if values are malformed, out of range
/// or contradict `count`, and if nothing tells the number of shards.
FoundShard shard_from_environment(std::optional<std::int64_t> count, const VariableLookup& lookup);

}  // namespace ortool
