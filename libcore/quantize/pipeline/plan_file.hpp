// Plan files: a quantization plan as JSON that can be read, edited and passed back.
#pragma once

#include <string>

#include "libcore/json/json.hpp"
#include "libcore/quantize/pipeline/quantize_result.hpp"
#include "libcore/quantize/scheme/plan_choices.hpp"

namespace ortool {

/// The content of a plan file.
struct PlanFile {
  Json settings;  ///< an object that maps option names to values
  PlanChoices choices;
};

/// Reads the file. Throws ErrorCode::invalid, naming the entry's node or tensor, for anything that
/// is not a valid plan (docs/reference/schemas/quantize-plan.schema.json), with the nearest match
/// for unknown keys and values; ErrorCode::memory_limit where `cap` has no room for it.
PlanFile read_plan_file(const std::string& path, MemoryCap& cap);

/// Throws ErrorCode::invalid for choices that do not apply to the model: unknown names, and nodes
/// to quantize that can only compute in floats. Warns about nodes that stay in float because of
/// their neighbors.
void check_choices(const TaskContext& task, const PlanChoices& choices, const Model& model,
                   const MadePlan& made);

/// Writes the plan as carried out, one line per node and one per tensor.
void write_plan_file(const std::string& path, const QuantizeResult& result);

}  // namespace ortool
