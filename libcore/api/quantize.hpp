// Quantizing a model in one call, and the calibration that it rests on.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "libcore/api/compute_options.hpp"
#include "libcore/quantize/calibrate/calibration.hpp"
#include "libcore/quantize/pipeline/quantize_data.hpp"
#include "libcore/quantize/pipeline/quantize_result.hpp"
#include "libcore/quantize/scheme/plan_choices.hpp"
#include "libcore/quantize/scheme/weight_store.hpp"
#include "libcore/quantize/search/node_patterns.hpp"

namespace ortool {

/// What quantize() and calibrate() do beside the settings they inherit: the mode, types, method,
/// recipe and budget.
struct QuantizeOptions : QuantizeSettings {
  ComputeOptions compute = {};
  /// Samples: the mode `statically` needs some to calibrate on, random ones (`has_random_data`),
  /// or a calibration cache.
  QuantizeData data = {};
  /// Completes `data` once the model is prepared, whose inputs it then fits; may be empty.
  std::function<void(const Model& prepared, QuantizeData& data)> complete_data = {};
  NodeSelection selection = {};  ///< which nodes stay in float
  PlanChoices choices = {};      ///< of a plan, by name
  /// The file that the model came from; "-": none. Calibration caches need one.
  std::string model_path = "-";
  /// Where large weights wait on the disk; lives until the model is saved. Null: in memory.
  QuantizedWeightStore* store = nullptr;
};

/// Quantizes `model` in place: prepares it (folded, fused, of an opset that can say scales), takes
/// ranges from the data, searches what the settings ask for, and compares the result with the
/// original where there is data. In the result errors are in dB (signal to noise), times in
/// milliseconds, sizes in bytes; `is_refused` says that no plan keeps the settings' budget. Throws
/// ErrorCode::invalid for names that the model has not and data that do not fit its inputs,
/// ErrorCode::unsupported for a model that cannot be written for the opset, ErrorCode::memory_limit
/// with a limit that is enough, and the reason of a stop request; `model` is then of no use.
QuantizeResult quantize(Model& model, const QuantizeOptions& options);

/// What calibration saw.
struct CalibrationReport {
  Preparation preparation;  ///< what the model needed before it could be looked at
  Calibration calibration{CalibrationSettings()};
  double milliseconds = 0;
  std::map<std::string, FileUse> data_files;  ///< of the data sets that are folders or patterns

  std::int64_t samples() const { return calibration.samples().count(); }
};

/// Prepares `model` in place, as quantize() does, runs it on the data and records what its values
/// are like; caches in the data are gone on with and saved. Throws what quantize() does.
CalibrationReport calibrate(Model& model, const QuantizeOptions& options);

/// A value of the model and the range that a calibration method chooses for it.
struct CalibratedRange {
  std::string name;
  ChosenRange chosen;
};

/// A range for each value that holds finite numbers, in the order of their names. Throws
/// ErrorCode::invalid where the calibration recorded not what the method needs.
std::vector<CalibratedRange> calibrated_ranges(const Calibration& calibration,
                                               const QuantizeSettings& settings);

}  // namespace ortool
