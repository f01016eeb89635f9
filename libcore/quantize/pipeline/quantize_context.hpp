// Quantization context: the inputs, settings and result shared by all steps for one model.
#pragma once

#include "libcore/base/task_context.hpp"
#include "libcore/quantize/calibrate/calibrate.hpp"
#include "libcore/quantize/pipeline/quantize_result.hpp"
#include "libcore/quantize/pipeline/quantize_settings.hpp"
#include "libcore/quantize/scheme/insert_qdq.hpp"
#include "libcore/quantize/scheme/weight_store.hpp"
#include "libcore/quantize/search/node_patterns.hpp"

namespace ortool {

/// The references must outlive the command's work.
struct QuantizeContext {
  const TaskContext& task;
  const QuantizeSettings& settings;
  const QuantizeData& data;
  const QuantizeMachine& machine;
  const NodePatterns& patterns;
  const PlanChoices& choices;  ///< the content of a plan file
  const CalibrationCache& cache;
  const std::string& model_path;  ///< as given; "-": standard input
  QuantizeResult& result;
  QuantizedWeightStore* store = nullptr;  ///< spills large quantized weights to disk; null: memory
};

/// Node names as assigned by names_apart().
using NodeNames = std::unordered_map<const Node*, std::string>;

/// The plan rules that the options and `choices` imply; all arguments must outlive the result.
/// `calibration` may be null; nodes with inputs or outputs that it never saw stay in float.
PlanRules rules_of(const QuantizeContext& context, const Calibration* calibration,
                   const PlanChoices& choices, const NodeNames& names);

/// Compresses the weights of operators that still compute in float; returns how many tensors.
std::int64_t store_rest(const QuantizeContext& context, Model& model, const QuantizePlan& plan);

/// Runs `model` and its float form on the data set of that role, and adds the differences to the
/// result.
void compare_with_float_model(const QuantizeContext& context, const Session& floats,
                              const Model& model, DataRole role);

/// Compares the outputs of `quantized` with those of the model as it was read, before preparation,
/// on the samples used for the result's output errors, and replaces these, unless it differs so
/// little from the prepared one that they are the same. If the original model cannot be run, keeps
/// the comparison with the prepared one and warns.
void compare_with_original(const QuantizeContext& context, const Model& original,
                           const Model& quantized);

}  // namespace ortool
