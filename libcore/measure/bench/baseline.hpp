// Benchmark baseline: an earlier report, or this machine's file in a folder, to compare with.
#pragma once

#include <string>
#include <vector>

#include "libcore/json/json.hpp"
#include "libcore/measure/bench/bench_variant.hpp"
#include "libcore/measure/compare_times.hpp"
#include "libcore/measure/host.hpp"

namespace ortool {

struct BaselineEntry {
  std::string variant;
  std::string setting;  ///< without the model
  double p50_ms = 0;
  std::vector<double> block_medians_ms;
};

class Baseline {
 public:
  /// No baseline.
  Baseline() = default;
  /// Reads a file, or the file of `machine` in a folder, where it may be missing. Throws
  /// ErrorCode::invalid for a file that is not a benchmark report, and ErrorCode::memory_limit when
  /// `cap`, which may be null, has no room for it.
  Baseline(const std::string& path, const MachineFingerprint& machine, MemoryCap* cap = nullptr);

  /// The entry of the same name, or of the same setting if both measured a single model. Null when
  /// there is none, and for a baseline of another machine.
  const BaselineEntry* find(const BenchVariant& variant) const;
  /// New for a folder, which adds missing entries; incomparable for a file.
  RegressionVerdict verdict_without_entry() const;
  /// For a file from another machine: the differences. Empty when it is comparable.
  const std::string& incomparable_because() const { return incomparable_because_; }

  /// Adds results missing in the folder to its file for this machine. Returns its path, or nothing
  /// when there was nothing to add.
  std::string store(const Json& results, const MachineFingerprint& machine) const;

 private:
  void read(const std::string& path, MemoryCap* cap);

  bool is_folder_ = false;
  std::string file_;
  std::vector<BaselineEntry> entries_;
  Json stored_results_ = Json::list();
  std::string machine_id_;
  std::string machine_cpu_;
  std::size_t model_count_ = 0;
  std::string incomparable_because_;
};

/// {id, cpu, isa, processors, cache_bytes, memory_gib, virtual}.
Json machine_block(const MachineFingerprint& machine);

}  // namespace ortool
