// An earlier measurement to compare with: a report, or the file of this machine in a folder.
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
  /// Nothing to compare with.
  Baseline() = default;
  /// Reads a file, or the file of `machine` in a folder, which may lack it. Throws
  /// ErrorCode::invalid for what is no report of bench, and ErrorCode::memory_limit where `cap`,
  /// which may be null, has no room for it.
  Baseline(const std::string& path, const MachineFingerprint& machine, MemoryCap* cap = nullptr);

  /// The entry of the same name; of the same setting, where both measured one model only. Null
  /// where there is none, and for a baseline of another machine.
  const BaselineEntry* find(const BenchVariant& variant) const;
  /// Fresh for a folder, which takes up what is new; incomparable for a file.
  RegressionVerdict verdict_without_entry() const;
  /// Of a file from another machine: what is different. Empty when it may be compared with.
  const std::string& incomparable_because() const { return incomparable_because_; }

  /// Writes the results that the folder lacks into its file for this machine. Returns its path, or
  /// nothing when there was nothing to add.
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
