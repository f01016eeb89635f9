// Memory-limit hint; the estimate is computed only on failure.
#include "libcore/quantize/pipeline/enough_memory.hpp"

#include <algorithm>

#include "libcore/base/format.hpp"
#include "libcore/base/setting_name.hpp"
#include "libcore/graph/algorithms/copy_model.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "libcore/quantize/calibrate/calibration_data.hpp"
#include "libcore/quantize/calibrate/memory_needed.hpp"
#include "libcore/quantize/scheme/group_params.hpp"

namespace ortool {
namespace {

constexpr std::int64_t megabyte = 1'000'000;

DataRole data_role(const QuantizeContext& context) {
  if (context.settings.mode == QuantizeMode::statically &&
      (context.data.has(DataRole::calibration) || context.settings.has_random_data))
    return DataRole::calibration;
  return context.data.has(DataRole::validation) ? DataRole::validation : DataRole::none;
}

/// A copy whose input shapes are those of the first sample, if there is one.
std::unique_ptr<Model> sized_model(const QuantizeContext& context, const Model& model) {
  std::unique_ptr<Model> sized = copy_model(model);
  const DataRole role = data_role(context);
  if (role == DataRole::none) return sized;
  const Graph& graph = *model.graph;
  CalibrationData data(context.task, context.data, role, graph.inputs(), graph.outputs());
  for (const auto& [name, content] : data.sample(data.first()).inputs) {
    Value* input = sized->graph->find_value(name);
    if (input == nullptr || !content.is_tensor()) continue;
    const Shape& shape = content.tensor().shape();
    std::vector<Dimension> sizes;
    for (std::int64_t i = 0; i < shape.rank(); ++i) sizes.emplace_back(shape[i]);
    input->set_type(ValueType::tensor(content.tensor().type(), PartialShape(sizes)));
  }
  infer_shapes(*sized);
  return sized;
}

std::int64_t enough_bytes(const QuantizeContext& context, Model& model) {
  QuantizeWork work;
  work.runs_models = data_role(context) != DataRole::none;
  work.tries_variants =
      context.settings.mode == QuantizeMode::statically && context.settings.recipe != "fast";
  const NodeNames names = names_apart(model);
  const PlanChoices nothing;
  const QuantizePlan plan = make_plan(model, rules_of(context, nullptr, nothing, names));
  work.records = static_cast<std::int64_t>(requested_values(plan).size());
  const std::int64_t bytes = memory_needed(*sized_model(context, model), work);
  // A limit that was just exceeded must grow, whatever the estimate says.
  return std::max(bytes, context.task.memory.limit_bytes() / 4 * 5);
}

}  // namespace

void name_enough_memory(const QuantizeContext& context, Model& model, FunctionRef<void()> work) {
  try {
    work();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::memory_limit || error.id() != "memory.cap") throw;
    std::int64_t bytes = 0;
    try {
      bytes = enough_bytes(context, model);
    } catch (const Error&) {
      throw error;  // not even enough for an estimate
    }
    throw Error(error.code(), error.what(),
                format("{} {}MB is estimated to be enough", setting_name("max-memory"),
                       (bytes + megabyte - 1) / megabyte))
        .with_id(error.id());
  }
}

}  // namespace ortool
