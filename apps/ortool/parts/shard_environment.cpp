// Environment variables of schedulers: Slurm, Kubernetes, Open MPI, and PMI (MPICH, Intel MPI).
#include "apps/ortool/parts/shard_environment.hpp"

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/strings/parse_number.hpp"

namespace ortool {
namespace {

constexpr const char* array_task = "SLURM_ARRAY_TASK_ID";

/// A variable that counts processes from 0, and the one that holds their number, if there is one.
struct Rank {
  const char* index;
  const char* count;
};

constexpr Rank ranks[] = {{"JOB_COMPLETION_INDEX", nullptr},
                          {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                          {"PMI_RANK", "PMI_SIZE"},
                          {"SLURM_PROCID", "SLURM_NTASKS"}};

[[noreturn]] void refuse_auto(std::string message, std::string hint) {
  throw Error(ErrorCode::invalid, format("option --shard: auto: {}", message), std::move(hint))
      .with_id("usage.shard");
}

bool is_set(const VariableLookup& lookup, const char* name) {
  const char* value = lookup(name);
  return value != nullptr && *value != '\0';
}

std::int64_t read_variable(const VariableLookup& lookup, const char* name) {
  const char* value = lookup(name);
  std::int64_t number = 0;
  if (value == nullptr || *value == '\0')
    refuse_auto(format("the environment variable {} is not set", name),
                "give --shard auto/N with the number of shards, or --shard I/N");
  if (!read_integer(value, number) || number < 0)
    refuse_auto(format("the environment variable {} is {} (expected a whole number from 0 up)",
                       name, quote(value)),
                "give --shard I/N");
  return number;
}

std::int64_t variable_or(const VariableLookup& lookup, const char* name, std::int64_t fallback) {
  return is_set(lookup, name) ? read_variable(lookup, name) : fallback;
}

void check_count(const char* variable, std::int64_t found, std::optional<std::int64_t> given) {
  if (!given || *given == found) return;
  refuse_auto(format("{} is {}, not {}", variable, found, *given),
              "to run some shards of a task again, give each its --shard I/N");
}

/// The tasks of an array may begin at any number and have a step.
Shard array_shard(std::optional<std::int64_t> given, const VariableLookup& lookup) {
  const std::int64_t id = read_variable(lookup, array_task);
  const std::int64_t first = read_variable(lookup, "SLURM_ARRAY_TASK_MIN");
  const std::int64_t last = read_variable(lookup, "SLURM_ARRAY_TASK_MAX");
  const std::int64_t step = variable_or(lookup, "SLURM_ARRAY_TASK_STEP", 1);
  const std::int64_t count = read_variable(lookup, "SLURM_ARRAY_TASK_COUNT");
  const bool is_range = step > 0 && last >= first && count == (last - first) / step + 1;
  if (!is_range || id < first || id > last || (id - first) % step != 0)
    refuse_auto(format("task {} of the Slurm array {} to {} with {} tasks has no place in a range",
                       id, first, last, count),
                "submit an array without gaps, such as --array=0-6, or give --shard I/N");
  check_count("SLURM_ARRAY_TASK_COUNT", count, given);
  return {(id - first) / step, count};
}

Shard rank_shard(const Rank& rank, std::optional<std::int64_t> given,
                 const VariableLookup& lookup) {
  const std::int64_t index = read_variable(lookup, rank.index);
  if (rank.count == nullptr && !given)
    refuse_auto(format("{} is set, but nothing tells the number of shards", rank.index),
                "write --shard auto/N, where N is the number of completions of the job");
  const bool has_count = rank.count != nullptr && (!given || is_set(lookup, rank.count));
  const std::int64_t count = has_count ? read_variable(lookup, rank.count) : *given;
  if (has_count) check_count(rank.count, count, given);
  if (index >= count)
    refuse_auto(
        format("{} is {}, which counts from 0, but there are {} shards", rank.index, index, count),
        "give --shard I/N");
  return {index, count};
}

Shard checked(const Shard& shard) {
  if (shard.count <= max_shards) return shard;
  refuse_auto(format("there are {} shards", shard.count), format("start at most {}", max_shards));
}

}  // namespace

FoundShard shard_from_environment(std::optional<std::int64_t> count, const VariableLookup& lookup) {
  if (is_set(lookup, array_task)) return {checked(array_shard(count, lookup)), array_task};
  std::string searched = array_task;
  for (const Rank& rank : ranks) {
    if (is_set(lookup, rank.index)) return {checked(rank_shard(rank, count, lookup)), rank.index};
    searched += format(", {}", rank.index);
  }
  refuse_auto(format("no scheduler tells the shard: none of {} is set", searched),
              "give --shard I/N, such as --shard 1/7 for the first of seven");
}

}  // namespace ortool
