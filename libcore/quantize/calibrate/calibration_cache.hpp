// Calibration cache: statistics stored in files, which can be resumed and merged.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "libcore/base/task_context.hpp"
#include "libcore/quantize/calibrate/calibration.hpp"
#include "libcore/quantize/calibrate/calibration_data.hpp"

namespace ortool {

class CalibrationCache {
 public:
  /// The cache files of `data`. `model_path` is the file being quantized, `prepared` the model that
  /// calibration runs. Throws ErrorCode::invalid for a model read from standard input.
  CalibrationCache(const TaskContext& task, const QuantizeData& data, const std::string& model_path,
                   const Model& prepared);

  bool is_used() const { return !paths_.empty(); }
  /// The merged content of all files; nothing when the only file does not exist yet. Throws
  /// ErrorCode::invalid for files of a different model or settings, for a sample present twice, for
  /// corrupt files, and where one of several files is missing. With a null `settings` the files'
  /// own are used. With a `part`, the file holds the samples of that shard; without one, parts are
  /// rejected.
  std::optional<Calibration> load(const CalibrationSettings* settings,
                                  const Part* part = nullptr) const;
  /// Throws ErrorCode::invalid for a state with samples that are not in `data`, or with more than
  /// its first `count`.
  void check_data(const Calibration& state, CalibrationData& data, std::int64_t count) const;
  /// Writes the state, with a `part` as that shard's; does nothing when several files were merged.
  void save(const Calibration& state, const Part* part = nullptr) const;

 private:
  std::string key_for(const CalibrationSettings& settings) const;
  std::string unwrapped(std::string bytes, const std::string& path,
                        const CalibrationSettings* settings, const Part* part) const;

  MemoryCap& memory_;
  std::vector<std::string> paths_;
  std::string model_hash_;
  std::string data_kind_;  ///< distinguishes random data; empty for real data
};

/// A hash of the contents of the inputs.
std::string digest_of(const NamedValues& inputs);

}  // namespace ortool
