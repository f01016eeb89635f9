// Quantization context: what every part of quantizing one model works with.
#pragma once

#include "libcore/base/task_context.hpp"
#include "libcore/quantize/calibrate/calibrate.hpp"
#include "libcore/quantize/pipeline/quantize_result.hpp"
#include "libcore/quantize/pipeline/quantize_settings.hpp"
#include "libcore/quantize/scheme/insert_qdq.hpp"
#include "libcore/quantize/scheme/weight_store.hpp"
#include "libcore/quantize/search/node_patterns.hpp"

namespace ortool {

/// The references outlive the command's work.
struct QuantizeContext {
  const TaskContext& task;
  const QuantizeSettings& settings;
  const QuantizeData& data;
  const QuantizeMachine& machine;
  const NodePatterns& patterns;
  const PlanChoices& choices;  ///< what a plan says
  const CalibrationCache& cache;
  const std::string& model_path;  ///< as it was given; "-": standard input
  QuantizeResult& result;
  LevelStore* store = nullptr;  ///< where large levels wait to be written; null: in memory
};

/// Nodes by names_apart().
using NodeNames = std::unordered_map<const Node*, std::string>;

/// What the options and `choices` ask of a plan; all outlive the rules. `calibration` may be null;
/// nodes that read or make what it never saw stay floats.
PlanRules rules_of(const QuantizeContext& context, const Calibration* calibration,
                   const PlanChoices& choices, const NodeNames& names);

/// Stores weights in few bits where what reads them computes in floats.
void store_rest(const QuantizeContext& context, Model& model, const QuantizePlan& plan);

/// Runs `model` beside its float form on the set of that role, and puts what differs into the
/// result.
void compare_forms(const QuantizeContext& context, const Session& floats, const Model& model,
                   DataRole role);

/// Compares the outputs of `quantized` with those of the model as it was read, before it was
/// prepared, on the samples that the result's outputs were compared on, and puts them in place of
/// these. Where the model cannot be run as it was, leaves those of the prepared one, with a
/// warning.
void compare_with_original(const QuantizeContext& context, const Model& original,
                           const Model& quantized);

}  // namespace ortool
