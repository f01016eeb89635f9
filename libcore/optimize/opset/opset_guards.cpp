// Opset guards: express the newer meaning in the older form, or refuse.
#include "libcore/optimize/opset/opset_guards.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "libcore/graph/attribute_access.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/optimize/opset/node_edits.hpp"
#include "libcore/optimize/rewrite/value_facts.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool::guards {
namespace {

constexpr float infinite = std::numeric_limits<float>::infinity();
constexpr float largest = std::numeric_limits<float>::max();

DataType type_of(const Value* value) {
  if (value == nullptr) return DataType::undefined;
  return value->is_constant() ? value->constant().type() : element_of(*value);
}

/// Whether the type includes float32's range: narrower floats have a smaller one.
bool has_wide_floats(const Node& node) {
  const DataType type = type_of(node.input(0));
  return type == DataType::float32 || type == DataType::float64;
}

const std::string* words_of(const Node& node, const char* name) {
  const Attribute* attribute = node.find_attribute(name);
  return attribute != nullptr ? std::get_if<std::string>(&attribute->value) : nullptr;
}

/// Whether the value cannot contain negative elements.
bool is_never_negative(const Value* value) {
  if (value == nullptr) return true;
  const DataType type = type_of(value);
  if (is_integer(type) && !is_signed_integer(type)) return true;
  if (value->is_constant() && is_integer(type)) {
    for (std::int64_t i = 0; i < value->constant().element_count(); ++i) {
      if (element_as_int64(value->constant(), i) < 0) return false;
    }
    return true;
  }
  const Node* producer = value->producer();
  // Abs of the minimum integer is negative.
  return producer != nullptr && has_trait(*producer, OpTrait::nonnegative) &&
         !has_trait(*producer, OpTrait::elementwise);
}

/// An element of an attribute of integers, or `otherwise` when it is omitted.
std::int64_t integer_at(const Node& node, const char* name, std::size_t index,
                        std::int64_t otherwise) {
  const Attribute* attribute = node.find_attribute(name);
  const auto* values =
      attribute != nullptr ? std::get_if<std::vector<std::int64_t>>(&attribute->value) : nullptr;
  return values != nullptr && index < values->size() ? (*values)[index] : otherwise;
}

constexpr std::array<std::pair<const char*, float>, 2> bounds = {
    {{"min", -infinite}, {"max", infinite}}};

}  // namespace

Node& unbounded_clip_up(Node& node) {
  for (const auto& [name, none] : bounds) {
    if (!float_of(node, name)) set_attribute(node, name, none);
  }
  return node;
}

Node& clip_up(Node& node) {
  std::int64_t index = 1;
  for (const auto& [name, none] : bounds) {
    std::optional<float> bound = float_of(node, name);
    if (!bound && has_wide_floats(node)) bound = std::copysign(largest, none);
    if (bound && *bound != none)
      set_input_at(node, index, &number_like(node, static_cast<double>(*bound)));
    node.remove_attribute(name);
    ++index;
  }
  return node;
}

Node& clip_down(Node& node) {
  std::array<std::optional<float>, 2> given;
  for (std::int64_t i = 0; i < 2; ++i) {
    const Value* bound = node.input(i + 1);
    if (bound == nullptr) continue;
    if (!bound->is_constant())
      refuse_form("its bounds are computed, and were attributes in that opset");
    const double number = element_as_double(bound->constant(), 0);
    const auto rounded = static_cast<float>(number);
    if (number < static_cast<double>(rounded) || number > static_cast<double>(rounded))
      refuse_form("its bounds are not float32");
    given[static_cast<std::size_t>(i)] = rounded;
  }
  drop_inputs_from(node, 1);
  for (std::size_t i = 0; i < 2; ++i) {
    if (!given[i] && has_wide_floats(node)) given[i] = bounds[i].second;
    if (given[i]) set_attribute(node, bounds[i].first, *given[i]);
  }
  return node;
}

Node& one_hot(Node& node) {
  if (!is_never_negative(node.input(0)))
    refuse_form("its indices may be negative, which has another meaning in that opset");
  return node;
}

Node& single_scale_down(Node& node) {
  const Value* scale = node.input(1);
  const bool is_single =
      scale != nullptr &&
      (scale->is_constant() ? scale->constant().element_count() == 1 : rank_of(*scale) == 0);
  if (!is_single) refuse_form("it is not known to have a single scale");
  node.remove_attribute("axis");
  return node;
}

Node& roi_align_up(Node& node) {
  Attribute attribute;
  attribute.name = "coordinate_transformation_mode";
  attribute.value = std::string("output_half_pixel");
  node.set_attribute(std::move(attribute));
  return node;
}

Node& roi_align_down(Node& node) {
  const std::string* mode = words_of(node, "coordinate_transformation_mode");
  if (mode == nullptr || *mode != "output_half_pixel")
    refuse_form("it subtracts half a pixel, which was introduced in opset 16");
  node.remove_attribute("coordinate_transformation_mode");
  return node;
}

Node& wide_window(Node& node) {
  const std::string* padding = words_of(node, "auto_pad");
  const Dimensions* image = node.input(0) != nullptr ? dimensions_of(*node.input(0)) : nullptr;
  const bool is_same = padding != nullptr && padding->starts_with("SAME");
  if (integer_of(node, "ceil_mode", 0) == 0 || is_same || image == nullptr) return node;
  const bool has_pads = padding == nullptr || *padding == "NOTSET";
  for (std::size_t i = 0; i + 2 < image->size(); ++i) {
    const Dimension& size = (*image)[i + 2];
    if (!size.is_known()) continue;
    const std::int64_t stride = integer_at(node, "strides", i, 1);
    const std::int64_t window = integer_at(node, "kernel_shape", i, 1);
    const std::int64_t extent = (window - 1) * integer_at(node, "dilations", i, 1) + 1;
    const std::int64_t pads = has_pads ? integer_at(node, "pads", i, 0) +
                                             integer_at(node, "pads", image->size() - 2 + i, 0)
                                       : 0;
    const std::int64_t room = size.number() + pads - extent;
    if (room < 0 && (room + stride - 1) / stride != room / stride)
      refuse_form(
          "its window is wider than the image, whose average is defined differently in that opset");
  }
  return node;
}

Node& narrow_cast(Node& node) {
  const DataType from = type_of(node.input(0));
  const DataType to = node.op_type() == "Cast" ? static_cast<DataType>(integer_of(node, "to", 0))
                                               : type_of(node.input(1));
  const bool is_narrow = is_integer(to) && element_bits(to) < 8;
  const bool may_be_float = from == DataType::undefined || is_floating_point(from);
  if (to == DataType::undefined || (is_narrow && may_be_float))
    refuse_form("floats outside the range of a 4-bit type are converted differently in that opset");
  return node;
}

}  // namespace ortool::guards
