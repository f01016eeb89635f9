// Plan files: a quantization plan as JSON that people can read, change and give back.
#pragma once

#include <string>

#include "libcore/json/json.hpp"
#include "libcore/quantize/pipeline/quantize_result.hpp"
#include "libcore/quantize/scheme/plan_choices.hpp"

namespace ortool {

/// What a plan file holds.
struct PlanFile {
  Json settings;  ///< an object of option names with their values
  PlanChoices choices;
};

/// Reads the file. Throws ErrorCode::invalid, naming the line's node or tensor, for what is no plan
/// (docs/reference/schemas/quantize-plan.schema.json): unknown keys and values with the nearest
/// ones; ErrorCode::memory_limit where `cap` has no room for it.
PlanFile read_plan_file(const std::string& path, MemoryCap& cap);

/// Throws ErrorCode::invalid for choices that the model cannot follow: names it has not, and nodes
/// to quantise that compute in floats whatever is asked. Warns of those that stay floats because of
/// the nodes around them.
void check_choices(const TaskContext& task, const PlanChoices& choices, const Model& model,
                   const MadePlan& made);

/// Writes the plan that was made, a line a node and a line a tensor.
void write_plan_file(const std::string& path, const QuantizeResult& result);

}  // namespace ortool
