// One table of operators, and what has to hold of a node for its row to apply.
#include "libcore/quantize/scheme/roles.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <variant>

#include "libcore/graph/attribute_access.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

using Role = QuantizeRole;

constexpr std::array<std::pair<std::string_view, Role>, 51> roles = {{
    {"Add", Role::sum},
    {"AveragePool", Role::mean},
    {"Celu", Role::function},
    {"Clip", Role::clip},
    {"Concat", Role::concat},
    {"Conv", Role::product},
    {"ConvTranspose", Role::product},
    {"DepthToSpace", Role::move},
    {"Elu", Role::function},
    {"Expand", Role::move},
    {"Flatten", Role::move},
    {"Gather", Role::move},
    {"GatherElements", Role::move},
    {"GatherND", Role::move},
    {"Gelu", Role::function},
    {"Gemm", Role::product},
    {"GlobalAveragePool", Role::mean},
    {"GlobalMaxPool", Role::move},
    {"HardSigmoid", Role::function},
    {"HardSwish", Role::function},
    {"Identity", Role::move},
    {"LeakyRelu", Role::function},
    {"MatMul", Role::product},
    {"MaxPool", Role::move},
    {"Mish", Role::function},
    {"Mul", Role::sum},
    {"Neg", Role::function},
    {"PRelu", Role::mean},
    {"Pad", Role::move},
    {"ReduceMax", Role::move},
    {"ReduceMean", Role::mean},
    {"Relu", Role::clip},
    {"Reshape", Role::move},
    {"Resize", Role::mean},
    {"Selu", Role::function},
    {"Sigmoid", Role::function},
    {"Slice", Role::move},
    {"Softplus", Role::function},
    {"Softsign", Role::function},
    {"SpaceToDepth", Role::move},
    {"Split", Role::move},
    {"Squeeze", Role::move},
    {"Sub", Role::sum},
    {"Swish", Role::function},
    {"Tanh", Role::function},
    {"ThresholdedRelu", Role::function},
    {"Tile", Role::move},
    {"Transpose", Role::move},
    {"Unsqueeze", Role::move},
    {"Upsample", Role::mean},
    {"Abs", Role::function},
}};

/// Whether the bounds of a Clip are attributes, left out, or constants.
bool has_constant_bounds(const Node& node) {
  for (std::int64_t i = 1; i < node.input_count(); ++i) {
    if (node.input(i) != nullptr && constant_behind(node.input(i)) == nullptr) return false;
  }
  return true;
}

/// Whether what a Pad adds is zero, which every scale can hold, or elements that are there.
bool pads_with_zeros(const Node& node) {
  if (text_attribute(node, "mode", "constant") != "constant") return true;
  if (const Attribute* given = node.find_attribute("value")) {
    const float* number = std::get_if<float>(&given->value);
    return number != nullptr && *number == 0.0F;
  }
  Value* value = node.input(2);
  if (value == nullptr) return true;
  const Value* constant = constant_behind(value);
  return constant != nullptr && constant->constant().element_count() == 1 &&
         element_as_double(constant->constant(), 0) == 0;
}

/// Whether results are the image's own pixels.
bool takes_nearest(const Node& node) {
  return text_attribute(node, "mode", "nearest") == "nearest";
}

bool has_second_output(const Node& node) {
  return node.output_count() > 1 && node.output(1) != nullptr;
}

}  // namespace

QuantizeRole quantize_role(const Node& node) {
  if (!node.domain().empty()) return Role::none;
  const auto* row = std::find_if(roles.begin(), roles.end(),
                                 [&](const auto& each) { return each.first == node.op_type(); });
  if (row == roles.end()) return Role::none;
  const std::string_view name = row->first;
  if (name == "MaxPool" && has_second_output(node)) return Role::none;
  if (name == "Clip" && !has_constant_bounds(node)) return Role::none;
  if (name == "Pad" && !pads_with_zeros(node)) return Role::none;
  if ((name == "Resize" || name == "Upsample") && takes_nearest(node)) return Role::move;
  return row->second;
}

bool is_recurrent(const Node& node) {
  return node.domain().empty() &&
         (node.op_type() == "LSTM" || node.op_type() == "GRU" || node.op_type() == "RNN");
}

std::string_view source_name(const Value& value) {
  const Value* source = &value;
  while (source->captured() != nullptr) source = source->captured();
  return source->name();
}

Value* constant_behind(Value* value) {
  while (value != nullptr && value->captured() != nullptr) value = value->captured();
  return value != nullptr && value->is_constant() ? value : nullptr;
}

bool is_float_tensor(const Value* value, bool of_any_type) {
  if (value == nullptr || !value->type().is_tensor()) return false;
  const DataType type = value->type().element;
  const bool is_other =
      type == DataType::float16 || type == DataType::bfloat16 || type == DataType::float64;
  return type == DataType::float32 || (of_any_type && is_other);
}

std::optional<std::int64_t> constant_operand(const Node& node) {
  if (node.input_count() != 2) return std::nullopt;
  const bool is_first = constant_behind(node.input(0)) != nullptr;
  const bool is_second = constant_behind(node.input(1)) != nullptr;
  if (is_first == is_second) return std::nullopt;
  return is_first ? 0 : 1;
}

}  // namespace ortool
