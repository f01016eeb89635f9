// Calibration cache: what calibration saw, kept in files, gone on with and put together.
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
  /// The files of `data`. `model_path` is the file that is quantised, `prepared` what
  /// calibration runs of it. Throws ErrorCode::invalid for a model from standard input.
  CalibrationCache(const TaskContext& task, const QuantizeData& data, const std::string& model_path,
                   const Model& prepared);

  bool is_used() const { return !paths_.empty(); }
  /// What the files hold together; nothing when the only file is not there yet. Throws
  /// ErrorCode::invalid for files of another model, of other settings or of one sample twice, for
  /// damaged ones, and where one of several is missing. `settings` may be null: the files'.
  std::optional<Calibration> load(const CalibrationSettings* settings) const;
  /// Throws ErrorCode::invalid for a state that holds other samples than `data`, or more than its
  /// first `count`.
  void check_data(const Calibration& state, CalibrationData& data, std::int64_t count) const;
  /// Writes the state; does nothing where several files were put together.
  void save(const Calibration& state) const;

 private:
  std::string key_for(const CalibrationSettings& settings) const;

  MemoryCap& memory_;
  std::vector<std::string> paths_;
  std::string model_hash_;
  std::string data_kind_;  ///< keeps made-up data apart from others; empty for those
};

/// A hash of what the inputs hold.
std::string digest_of(const NamedValues& inputs);

}  // namespace ortool
