// Quantization result: plan, calibration, errors against the float model, searches and sizes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "libcore/dataset/file_tree.hpp"
#include "libcore/quantize/calibrate/diagnosis.hpp"
#include "libcore/quantize/pipeline/quantize_settings.hpp"
#include "libcore/quantize/report/end_to_end.hpp"
#include "libcore/quantize/report/made_plan.hpp"
#include "libcore/quantize/report/stored_bytes.hpp"
#include "libcore/quantize/scheme/plan_choices.hpp"
#include "libcore/quantize/scheme/prepare.hpp"
#include "libcore/quantize/scheme/qoperator_format.hpp"
#include "libcore/quantize/search/search_results.hpp"

namespace ortool {

/// What a search under an accuracy budget found.
struct BudgetResult {
  Accuracy accuracy;
  SearchResult search;
};

/// The quantized model's plan and measurements.
struct QuantizeResult {
  QuantizeSettings settings;
  Preparation preparation;
  MadePlan plan;
  std::int64_t samples = 0;
  double calibration_ms = 0;
  std::optional<CalibrationMethod> chosen_method;  ///< when the settings name none
  Diagnosis diagnosis;
  QOperatorSummary integers;  ///< with --quant-format qoperator
  EndToEnd end_to_end;
  std::vector<MethodTrial> methods;                       ///< all trials, the chosen first
  std::optional<std::vector<TechniqueTrial>> techniques;  ///< when more was tried
  std::optional<BudgetResult> budget;                     ///< with a budget in the settings
  std::optional<FasterClusters> kept_faster;              ///< when run times were compared
  std::optional<std::vector<Suggestion>> suggestions;     ///< when exclusions were searched for
  bool stores_rest = true;  ///< like the next two, a choice of the result
  WeightRangeChoice weight_fit = WeightRangeChoice::quick;
  std::map<std::string, std::vector<double>, std::less<>> balance;
  bool is_refused = false;  ///< no plan meets the request: nothing is written
  StoredBytes before_bytes;
  StoredBytes after_bytes;
  std::int64_t file_bytes = 0;  ///< of the model that was read; 0: unknown
  std::string output_path;
  std::int64_t output_bytes = 0;
  std::map<std::string, FileUse> data_files;  ///< of the data sets that are folders or patterns
};

}  // namespace ortool
