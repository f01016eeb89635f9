// Quantization role of a node: that of its operator, if attributes and operands allow it.
#include "libcore/quantize/scheme/quantize_role.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <variant>

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/tensor/pad.hpp"
#include "libcore/ops/tensor/resize.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

using Role = QuantizeRole;

/// Whether the bounds of a Clip are attributes, omitted, or constants.
bool has_constant_bounds(const Node& node) {
  for (std::int64_t i = 1; i < node.input_count(); ++i) {
    if (node.input(i) != nullptr && constant_behind(node.input(i)) == nullptr) return false;
  }
  return true;
}

/// Whether a Pad adds zeros, which every scale represents exactly, or existing elements.
bool pads_with_zeros(const Node& node) {
  const auto pad = read_op<Pad>(node);
  if (pad.mode != Pad::Mode::constant) return true;
  Value* value = node.input(2);
  if (value == nullptr) return pad.value == 0;
  const Value* constant = constant_behind(value);
  return constant != nullptr && constant->constant().element_count() == 1 &&
         element_as_double(constant->constant(), 0) == 0;
}

/// Whether the results are existing pixels of the image.
bool takes_nearest(const Node& node) {
  const Resampling::Mode mode =
      node.op_type() == "Resize" ? read_op<Resize>(node).mode : read_op<Upsample>(node).mode;
  return mode == Resampling::Mode::nearest;
}

bool has_second_output(const Node& node) {
  return node.output_count() > 1 && node.output(1) != nullptr;
}

}  // namespace

QuantizeRole quantize_role(const Node& node) {
  const Role role = traits_of(node).role;
  const std::string_view name = node.op_type();
  if (name == "MaxPool" && has_second_output(node)) return Role::none;
  if (name == "Clip" && !has_constant_bounds(node)) return Role::none;
  if (name == "Pad" && !pads_with_zeros(node)) return Role::none;
  if ((name == "Resize" || name == "Upsample") && takes_nearest(node)) return Role::move;
  return role;
}

bool is_recurrent(const Node& node) {
  return has_trait(node, OpTrait::recurrent);
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
