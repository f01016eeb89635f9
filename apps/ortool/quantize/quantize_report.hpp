// What `ortool quantize` tells: text for people, and the payload of its document.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "apps/ortool/quantize/end_to_end.hpp"
#include "apps/ortool/quantize/quantize_settings.hpp"
#include "apps/ortool/report/report.hpp"
#include "libcore/quantize/calibrate/diagnosis.hpp"
#include "libcore/quantize/scheme/choose_params.hpp"
#include "libcore/quantize/scheme/plan_choices.hpp"
#include "libcore/quantize/scheme/prepare.hpp"
#include "libcore/quantize/scheme/qoperator_form.hpp"

namespace ortool {

/// Bytes of a model's tensors.
struct StoredBytes {
  std::int64_t floats = 0;
  std::int64_t levels = 0;  ///< 8 bits or fewer an element
  std::int64_t others = 0;  ///< biases in units, shapes, indices

  std::int64_t total() const { return floats + levels + others; }
};

StoredBytes stored_bytes(const Model& model);

/// A node of the prepared model, by the names of the file.
struct ReportedNode {
  std::string name;
  std::string plan_name;  ///< that no other node has: see names_apart()
  std::string op_type;
  std::vector<std::string> origins;
  std::string value;   ///< that holds its result
  std::string output;  ///< what it makes with its bias, before what else is computed with it
  bool is_quantized = false;
  bool has_weights = false;
  bool has_bias = false;  ///< in the product, or in what is computed with it
  std::string reason;
  QuantizeRole role = QuantizeRole::none;
  bool is_per_channel = false;
  std::optional<DataType> weight_type;  ///< where it is not that of all
  std::vector<std::string> reads;       ///< computed float values
  std::vector<double> bias_shift;       ///< NodeChoice::bias_shift
};

/// What a plan became.
struct MadePlan {
  std::vector<ReportedNode> nodes;
  std::vector<ChosenValue> chosen;
  std::vector<GroupNumbers> numbers;  ///< by ChosenValue::group
};

struct QuantizeReport {
  const QuantizeSettings* settings = nullptr;
  Preparation preparation;
  MadePlan plan;
  std::int64_t samples = 0;
  double calibration_ms = 0;
  std::optional<CalibrationMethod> chosen_method;  ///< where the settings name none
  Diagnosis diagnosis;
  IntegerForm integers;  ///< with --format qoperator
  EndToEnd end_to_end;
  Json steering = Json::object();  ///< keys of the document about searches and advice
  std::string steering_text;
  bool stores_rest = true;  ///< with the next, PlanChoices of the result
  WeightFit weight_fit = WeightFit::quick;
  std::map<std::string, std::vector<double>, std::less<>> balance;
  bool is_refused = false;  ///< no plan does what was asked: nothing is written
  StoredBytes before_bytes;
  StoredBytes after_bytes;
  std::int64_t file_bytes = 0;  ///< of the model that was read; 0: not known
  std::string output_path;
  std::int64_t output_bytes = 0;
};

/// The plan's nodes, told while they are there. `names` are those of names_apart().
std::vector<ReportedNode> describe_plan(const QuantizePlan& plan,
                                        const std::unordered_map<const Node*, std::string>& names);

void add_quantize_report(Report& report, const QuantizeReport& result);

}  // namespace ortool
