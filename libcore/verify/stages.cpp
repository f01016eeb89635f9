// Quantization stages: finds quantizing nodes, and the names of their inputs and outputs.
#include "libcore/verify/stages.hpp"

#include "libcore/graph/graph.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/quantization/quantize_linear.hpp"

namespace ortool {
namespace {

bool is_integer_tensor(const Value& value) {
  if (!value.type().is_tensor()) return false;
  switch (value.type().element) {
    case DataType::int8:
    case DataType::uint8:
    case DataType::int16:
    case DataType::uint16:
    case DataType::int4:
    case DataType::uint4:
    case DataType::int2:
    case DataType::uint2:
      return true;
    default:
      return false;
  }
}

std::string name_or_empty(const Value* value) {
  return value != nullptr ? std::string(value->name()) : std::string();
}

bool read_stage(const Node& node, Stage& stage) {
  if (!node.domain().empty()) return false;
  stage.is_dynamic = node.op_type() == "DynamicQuantizeLinear";
  if (!stage.is_dynamic && node.op_type() != "QuantizeLinear") return false;
  const Value* integers = node.output(0);
  const Value* numbers = node.input(0);
  if (integers == nullptr || !is_integer_tensor(*integers) || numbers->is_constant()) return false;
  stage.integers = name_or_empty(integers);
  stage.numbers = name_or_empty(numbers);
  stage.scale = name_or_empty(stage.is_dynamic ? node.output(1) : node.input(1));
  stage.zero_point = name_or_empty(stage.is_dynamic ? node.output(2) : node.input(2));
  if (stage.is_dynamic) return !stage.scale.empty();
  const Granularity granularity = read_op<QuantizeLinear>(node).granularity;
  const auto& shape = integers->type().shape;
  if (granularity.block_size > 0 || !shape) return false;
  const auto rank = static_cast<std::int64_t>(shape->size());
  stage.axis = granularity.axis < 0 ? granularity.axis + rank : granularity.axis;
  return true;
}

}  // namespace

std::vector<Stage> find_stages(const Graph& graph) {
  std::vector<Stage> stages;
  for (const Node& node : graph.nodes()) {
    Stage stage;
    if (read_stage(node, stage)) stages.push_back(std::move(stage));
  }
  return stages;
}

}  // namespace ortool
