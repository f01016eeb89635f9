// Parts of a benchmark of many models, each of which one shard measures.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/ortool/command.hpp"
#include "libcore/dataset/parts/part_file.hpp"
#include "libcore/measure/bench/bench_settings.hpp"
#include "libcore/measure/bench/bench_variant.hpp"

namespace ortool {

inline constexpr std::string_view benchmark_kind = "benchmark";

/// The models of a shard of `bench`.
struct BenchShard {
  Part part;                        ///< without its payload
  std::vector<std::string> models;  ///< as given
};

/// The shard of --shard, nothing without the option. Throws ErrorCode::invalid for options that
/// shards do not have.
std::optional<BenchShard> read_bench_shard(const Invocation& invocation,
                                           const BenchSettings& settings);

/// The variants of the shard's models, with the names that they have among all models.
std::vector<BenchVariant> variants_of(const BenchSettings& settings, const BenchShard& shard);

/// Writes the part with the report so far.
void write_bench_part(const Invocation& invocation, BenchShard shard);

/// The benchmark of all shards.
struct JoinedBenchResult {
  Json document;  ///< of the command `bench`, without what describes how it ended
  std::string text;
  int verdict = 0;
};

/// Joins checked parts of kind benchmark, which are in the order of their shards.
JoinedBenchResult join_benchmarks(const std::vector<Part>& parts, MemoryCap& memory);

}  // namespace ortool
