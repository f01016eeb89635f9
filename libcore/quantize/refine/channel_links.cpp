// Channel links in topological order: defines each result's channels from the inputs'.
#include "libcore/quantize/refine/channel_links.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>

#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/math/gemm.hpp"
#include "libcore/ops/nn/conv/conv.hpp"
#include "libcore/ops/nn/normalization/layer_normalization.hpp"
#include "libcore/ops/tensor/concat.hpp"
#include "libcore/ops/tensor/layout/transpose.hpp"
#include "libcore/ops/tensor/pad.hpp"
#include "libcore/quantize/scheme/quantize_role.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

/// The size of an axis; nothing when unknown.
std::optional<std::int64_t> size_of(const Value& value, std::int64_t axis) {
  const PartialShape& shape = value.type().shape;
  if (!shape || axis < 0 || axis >= static_cast<std::int64_t>(shape->size())) return std::nullopt;
  const Dimension& size = (*shape)[static_cast<std::size_t>(axis)];
  return size.is_known() ? std::optional(size.number()) : std::nullopt;
}

std::int64_t rank_of(const Value& value) {
  const PartialShape& shape = value.type().shape;
  return shape ? static_cast<std::int64_t>(shape->size()) : -1;
}

/// Whether a Clip clips at zero only.
bool is_relu(const Node& node) {
  const auto bound = [&](std::int64_t index, std::string_view name) -> std::optional<double> {
    if (const Attribute* given = node.find_attribute(name)) {
      const float* number = std::get_if<float>(&given->value);
      if (number != nullptr) return static_cast<double>(*number);
    }
    if (node.input(index) == nullptr) return std::nullopt;
    const Value* constant = constant_behind(node.input(index));
    if (constant == nullptr || constant->constant().element_count() != 1)
      return std::numeric_limits<double>::quiet_NaN();
    return element_as_double(constant->constant(), 0);
  };
  return bound(1, "min").value_or(1) == 0 && bound(2, "max").value_or(1e30) >= 1e30;
}

bool pads_with_constant(const Node& node) {
  return read_op<Pad>(node).mode == Pad::Mode::constant;
}

/// A constant of the node's own graph.
const Tensor* constant_of(const Node& node, std::int64_t index) {
  const Value* value = node.input(index);
  const bool is_given = value != nullptr && value->is_constant() && is_float_tensor(value);
  return is_given ? &value->constant() : nullptr;
}

}  // namespace

std::optional<WeightMatrix> matrix_of_weights(const Node& node) {
  if (!node.domain().empty()) return std::nullopt;
  const Value* weights = constant_behind(node.input(1));
  if (weights == nullptr) return std::nullopt;
  const Shape& shape = weights->constant().shape();
  if (node.op_type() == "Conv")
    return WeightMatrix(shape, WeightLayout::outputs_first, read_op<Conv>(node).groups);
  if (shape.rank() != 2) return std::nullopt;
  if (node.op_type() == "MatMul") return WeightMatrix(shape, WeightLayout::inputs_first);
  if (node.op_type() != "Gemm") return std::nullopt;
  const auto op = read_op<Gemm>(node);
  if (op.transpose_a) return std::nullopt;
  return WeightMatrix(shape,
                      op.transpose_b ? WeightLayout::outputs_first : WeightLayout::inputs_first);
}

ChannelLinks::ChannelLinks(Model& model) : graph_(*model.graph) {
  Graph& graph = *model.graph;
  for (Node& node : graph.nodes()) link(node);
  // Values visible from outside keep their scale.
  for (const Value* output : graph.outputs()) hold(output);
  for (Node& node : graph.nodes()) {
    for (std::int64_t i = 0; i < node.implicit_input_count(); ++i) hold(node.implicit_input(i));
  }
}

const Value* ChannelLinks::find(std::string_view name) const {
  const Value* value = graph_.find_value(name);
  return channels_of(value) != nullptr ? value : nullptr;
}

const ChannelLinks::Channels* ChannelLinks::channels_of(const Value* value) const {
  const auto found = channels_.find(value);
  return found == channels_.end() ? nullptr : &found->second;
}

bool ChannelLinks::give(const Value* value, std::int64_t axis, std::int64_t count) {
  if (value == nullptr || !is_float_tensor(value) || count < 1 || size_of(*value, axis) != count)
    return false;
  channels_[value] = {class_count(), count, axis};
  for (std::int64_t i = 0; i < count; ++i) parents_.push_back(class_count());
  is_held_.resize(parents_.size(), false);
  return true;
}

std::int64_t ChannelLinks::root(std::int64_t channel) const {
  auto at = static_cast<std::size_t>(channel);
  while (parents_[at] != static_cast<std::int64_t>(at)) {
    parents_[at] = parents_[static_cast<std::size_t>(parents_[at])];
    at = static_cast<std::size_t>(parents_[at]);
  }
  return static_cast<std::int64_t>(at);
}

void ChannelLinks::join(std::int64_t one, std::int64_t other) {
  const std::int64_t first = root(one);
  const std::int64_t second = root(other);
  if (first == second) return;
  const auto low = static_cast<std::size_t>(std::min(first, second));
  const auto high = static_cast<std::size_t>(std::max(first, second));
  parents_[high] = static_cast<std::int64_t>(low);
  is_held_[low] = is_held_[low] || is_held_[high];
}

/// Links channel by channel; fixes both values where they do not match or one has no channels.
void ChannelLinks::join_values(const Value* one, const Value* other) {
  const Channels* first = channels_of(one);
  const Channels* second = channels_of(other);
  if (first == nullptr || second == nullptr || first->count != second->count) {
    hold(one);
    hold(other);
    return;
  }
  for (std::int64_t i = 0; i < first->count; ++i) join(first->first + i, second->first + i);
}

void ChannelLinks::hold(const Value* value) {
  const Channels* channels = channels_of(value);
  if (channels == nullptr) return;
  for (std::int64_t i = 0; i < channels->count; ++i)
    is_held_[static_cast<std::size_t>(root(channels->first + i))] = true;
}

void ChannelLinks::hold_node(const Node& node) {
  for (std::int64_t i = 0; i < node.input_count(); ++i) hold(node.input(i));
  for (std::int64_t i = 0; i < node.output_count(); ++i) hold(node.output(i));
}

std::optional<std::int64_t> ChannelLinks::axis_of(const Value& value) const {
  const Channels* channels = channels_of(&value);
  if (channels == nullptr) return std::nullopt;
  for (std::int64_t i = 0; i < channels->count; ++i) {
    if (!is_held_[static_cast<std::size_t>(root(channels->first + i))]) return channels->axis;
  }
  return std::nullopt;
}

std::vector<std::int64_t> ChannelLinks::classes_of(const Value& value) const {
  std::vector<std::int64_t> classes;
  const Channels* channels = channels_of(&value);
  for (std::int64_t i = 0; channels != nullptr && i < channels->count; ++i) {
    const std::int64_t number = root(channels->first + i);
    classes.push_back(is_held_[static_cast<std::size_t>(number)] ? -1 : number);
  }
  return classes;
}

void ChannelLinks::link(Node& node) {
  const std::string_view type = node.op_type();
  if (!node.domain().empty()) return hold_node(node);
  if (type == "Conv" || type == "Gemm" || type == "MatMul") return link_product(node);
  if (type == "LayerNormalization" || type == "RMSNormalization") return link_normalization(node);
  if (type == "Add" || type == "Sub") return link_sum(node);
  if (type == "Mul" || type == "Div") return link_factor(node);
  if (type == "Concat") return link_concat(node);
  if (type == "Pad") return link_pad(node);
  if (type == "Transpose" || has_trait(node, OpTrait::reshapes)) return link_moved(node);
  const bool scales =
      (type == "Clip" ? is_relu(node) : has_trait(node, OpTrait::scales_with_input)) &&
      node.find_attribute("extrapolation_value") == nullptr &&
      quantize_role(node) != QuantizeRole::none;
  if (scales) return link_same(node);
  hold_node(node);
}

void ChannelLinks::link_product(Node& node) {
  const std::optional<WeightMatrix> matrix = matrix_of_weights(node);
  if (!matrix || constant_of(node, 1) == nullptr || only_consumer(*node.input(1)) == nullptr)
    return hold_node(node);
  const bool is_image = node.op_type() == "Conv";
  const Value* input = node.input(0);
  const Value* output = node.output(0);
  const std::int64_t axis = is_image ? 1 : rank_of(*output) - 1;
  const Channels* read = channels_of(input);
  if (read != nullptr &&
      (read->count != matrix->inputs() || read->axis != (is_image ? 1 : rank_of(*input) - 1))) {
    hold(input);
  }
  products_.push_back({&node, *matrix});
  if (!give(output, axis, matrix->outputs())) return;
  const bool has_bias = node.op_type() != "MatMul" && node.input(2) != nullptr;
  if (!has_bias) return;
  const Tensor* bias = constant_of(node, 2);
  if (bias == nullptr || bias->element_count() != matrix->outputs()) return hold(output);
  constants_.push_back({&node, 2});
}

void ChannelLinks::link_normalization(Node& node) {
  hold(node.input(0));
  const Value* output = node.output(0);
  const std::int64_t axis = rank_of(*output) - 1;
  const std::optional<std::int64_t> count = size_of(*output, axis);
  const bool is_layer = node.op_type() == "LayerNormalization";
  const std::int64_t first =
      is_layer ? read_op<LayerNormalization>(node).axis : read_op<RMSNormalization>(node).axis;
  if (!count || (first != -1 && first != axis) || !give(output, axis, *count)) return;
  for (std::int64_t i = 1; i < node.input_count(); ++i) {
    if (node.input(i) == nullptr) continue;
    if (!takes_constant(node, i)) return hold(output);
  }
}

/// Whether the operand is a constant with one element per channel of the result; if so, records it.
bool ChannelLinks::takes_constant(Node& node, std::int64_t input) {
  const Value& result = *node.output(0);
  const Channels* channels = channels_of(&result);
  const Tensor* constant = constant_of(node, input);
  if (constant == nullptr || channels == nullptr) return false;
  const Shape& shape = constant->shape();
  const std::int64_t axis = channels->axis - (rank_of(result) - shape.rank());
  if (axis < 0 || shape[axis] != channels->count || constant->element_count() != channels->count) {
    return false;
  }
  constants_.push_back({&node, input});
  return true;
}

void ChannelLinks::link_sum(Node& node) {
  const Value* output = node.output(0);
  const std::optional<std::int64_t> operand = constant_operand(node);
  const Channels* read = channels_of(node.input(operand == 0 ? 1 : 0));
  if (read == nullptr || !give(output, read->axis, read->count)) return hold_node(node);
  if (operand) {
    join_values(node.input(1 - *operand), output);
    if (!takes_constant(node, *operand)) hold(output);
    return;
  }
  for (std::int64_t i = 0; i < 2; ++i) {
    const Channels* other = channels_of(node.input(i));
    const bool fits = other != nullptr && other->axis == channels_of(output)->axis &&
                      rank_of(*node.input(i)) == rank_of(*output);
    if (!fits) return hold_node(node);
  }
  join_values(node.input(0), output);
  join_values(node.input(1), output);
}

/// For a product with a constant or a smaller gate: the factor of the scaled operand carries over.
void ChannelLinks::link_factor(Node& node) {
  const Value* output = node.output(0);
  const std::optional<std::int64_t> operand = constant_operand(node);
  if (operand == 0 && node.op_type() == "Div") return hold_node(node);
  std::int64_t scaled = operand ? 1 - *operand : 0;
  if (!operand) {
    const Channels* first = channels_of(node.input(0));
    const Channels* second = channels_of(node.input(1));
    if (node.op_type() == "Div" || (first != nullptr && second != nullptr)) return hold_node(node);
    scaled = first != nullptr ? 0 : 1;
  }
  const Value* input = node.input(scaled);
  const Channels* read = channels_of(input);
  if (read == nullptr || rank_of(*input) != rank_of(*output) ||
      !give(output, read->axis, read->count)) {
    return hold_node(node);
  }
  join_values(input, output);
}

void ChannelLinks::link_concat(Node& node) {
  const Value* output = node.output(0);
  std::int64_t axis = read_op<Concat>(node).axis;
  if (axis < 0) axis += rank_of(*output);
  const Channels* first = channels_of(node.input(0));
  if (first == nullptr) return hold_node(node);
  const std::int64_t channel_axis = first->axis;
  const std::optional<std::int64_t> count = size_of(*output, channel_axis);
  if (!count || !give(output, channel_axis, *count)) return hold_node(node);
  std::int64_t place = 0;
  for (std::int64_t i = 0; i < node.input_count(); ++i) {
    const Channels* read = channels_of(node.input(i));
    const Channels* made = channels_of(output);
    if (read == nullptr || read->axis != channel_axis || place + read->count > made->count)
      return hold_node(node);
    for (std::int64_t k = 0; k < read->count; ++k) join(read->first + k, made->first + place + k);
    if (axis == channel_axis) place += read->count;
  }
  if (axis == channel_axis && place != *count) hold_node(node);
}

/// Channels leading the axis into which they are merged, or on the last axis before and after.
void ChannelLinks::link_moved(Node& node) {
  const Value* input = node.input(0);
  const Value* output = node.output(0);
  const Channels* read = channels_of(input);
  if (read == nullptr || rank_of(*output) < 1) return hold_node(node);
  const Channels moved = *read;
  const std::int64_t rank = rank_of(*input);
  if (node.op_type() == "Transpose") {
    const std::vector<std::int64_t> order = read_op<Transpose>(node).order(rank);
    const auto place = std::find(order.begin(), order.end(), moved.axis) - order.begin();
    if (!give(output, place, moved.count)) return hold_node(node);
    return join_values(input, output);
  }
  std::int64_t behind = 1;
  for (std::int64_t axis = moved.axis + 1; axis < rank; ++axis)
    behind *= size_of(*input, axis).value_or(0);
  const std::int64_t last = rank_of(*output) - 1;
  // [n, channels, …] reshaped to [n, everything else].
  const bool is_flat = moved.axis == 1 && last == 1 && size_of(*output, 1) == moved.count * behind;
  const bool is_last = moved.axis == rank - 1 && size_of(*output, last) == moved.count;
  if ((!is_flat && !is_last) || !give(output, last, moved.count * behind)) return hold_node(node);
  const Channels* made = channels_of(output);
  for (std::int64_t i = 0; i < made->count; ++i) join(moved.first + i / behind, made->first + i);
}

/// Zeros padded along the channel axis are new channels, unrelated to any other.
void ChannelLinks::link_pad(Node& node) {
  const Value* input = node.input(0);
  const Value* output = node.output(0);
  const Channels* read = channels_of(input);
  const Value* pads = constant_behind(node.input(1));
  const std::int64_t rank = rank_of(*input);
  if (read == nullptr || quantize_role(node) == QuantizeRole::none || pads == nullptr ||
      node.input(3) != nullptr || pads->constant().element_count() != 2 * rank) {
    return hold_node(node);
  }
  const std::int64_t before = element_as_int64(pads->constant(), read->axis);
  const std::int64_t behind = element_as_int64(pads->constant(), rank + read->axis);
  const bool has_others = before != 0 || behind != 0;
  if (before < 0 || behind < 0 || (has_others && !pads_with_constant(node)) ||
      !give(output, read->axis, before + read->count + behind)) {
    return hold_node(node);
  }
  const Channels* made = channels_of(output);
  for (std::int64_t i = 0; i < read->count; ++i) join(read->first + i, made->first + before + i);
}

void ChannelLinks::link_same(Node& node) {
  const Value* input = node.input(0);
  const Value* output = node.output(0);
  const Channels* read = channels_of(input);
  if (read == nullptr || rank_of(*input) != rank_of(*output) ||
      !give(output, read->axis, read->count)) {
    return hold_node(node);
  }
  join_values(input, output);
  for (std::int64_t i = 1; i < node.input_count(); ++i) hold(node.input(i));
}

}  // namespace ortool
