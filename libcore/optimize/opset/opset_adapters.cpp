// Opset adapters: one function per kind of change, one table row per operator and version.
#include "libcore/optimize/opset/opset_adapters.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "libcore/base/format.hpp"
#include "libcore/graph/attribute_access.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/optimize/opset/convert_group_norm.hpp"
#include "libcore/optimize/opset/convert_softmax.hpp"
#include "libcore/optimize/opset/node_edits.hpp"
#include "libcore/optimize/opset/opset_guards.hpp"
#include "libcore/optimize/opset/opset_legacy.hpp"
#include "libcore/optimize/opset/opset_withdrawn.hpp"
#include "libcore/optimize/rewrite/value_facts.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

// Axes: an attribute, then an input.

Node& axes_up(Node& node) {
  move_to_input(node, "axes", 1);
  return node;
}

Node& axes_down(Node& node) {
  if (integer_of(node, "noop_with_empty_axes", 0) != 0) {
    const Value* axes = node.input(1);
    const bool has_axes =
        axes != nullptr && axes->is_constant() && axes->constant().element_count() > 0;
    if (!has_axes) refuse_form("'noop_with_empty_axes' has no equivalent in that opset");
  }
  node.remove_attribute("noop_with_empty_axes");
  move_to_attribute(node, "axes", 1);
  return node;
}

// Other integer lists: an attribute, then an input.

constexpr char split_name[] = "split";
constexpr char shape_name[] = "shape";

template <const auto& name>
Node& second_input_up(Node& node) {
  move_to_input(node, name, 1);
  return node;
}

template <const auto& name>
Node& second_input_down(Node& node) {
  move_to_attribute(node, name, 1);
  return node;
}

/// Without sizes, the number of parts becomes mandatory.
Node& split_count_up(Node& node) {
  if (node.input(1) == nullptr) set_attribute(node, "num_outputs", node.output_count());
  return node;
}

Node& split_count_down(Node& node) {
  if (!node.remove_attribute("num_outputs")) return node;
  const Dimensions* dimensions = node.input(0) != nullptr ? dimensions_of(*node.input(0)) : nullptr;
  if (dimensions == nullptr) refuse_form("whether its parts are equal is unknown");
  const std::int64_t axis = integer_of(node, "axis", 0);
  const auto rank = static_cast<std::int64_t>(dimensions->size());
  const Dimension& size = (*dimensions)[static_cast<std::size_t>(axis < 0 ? axis + rank : axis)];
  if (!size.is_known() || size.number() % node.output_count() != 0)
    refuse_form("its parts are not known to be equal");
  return node;
}

Node& top_k_up(Node& node) {
  move_to_input(node, "k", 1);
  return node;
}

Node& top_k_down(Node& node) {
  const std::optional<Integers> k = constant_integers(node, 1, "k");
  drop_inputs_from(node, 1);
  if (k && k->size() == 1) set_attribute(node, "k", k->front());
  return node;
}

Node& slice_up(Node& node) {
  move_to_input(node, "starts", 1);
  move_to_input(node, "ends", 2);
  move_to_input(node, "axes", 3);
  return node;
}

Node& slice_down(Node& node) {
  const std::optional<Integers> steps = constant_integers(node, 4, "steps");
  if (steps && std::any_of(steps->begin(), steps->end(), [](auto step) { return step != 1; }))
    refuse_form("its steps are not 1");
  const std::optional<Integers> starts = constant_integers(node, 1, "starts");
  const std::optional<Integers> ends = constant_integers(node, 2, "ends");
  const std::optional<Integers> axes = constant_integers(node, 3, "axes");
  drop_inputs_from(node, 1);
  set_attribute(node, "starts", starts.value_or(Integers{}));
  set_attribute(node, "ends", ends.value_or(Integers{}));
  if (axes) set_attribute(node, "axes", *axes);
  return node;
}

// Floats: attributes, then inputs of the data type.

/// The form of ONNX Runtime before opset 9.
Node& mean_variance_up(Node& node) {
  if (integer_of(node, "normalize_variance", 1) == 0)
    refuse_form("only the mean is subtracted (normalize_variance is 0)");
  const bool is_across = integer_of(node, "across_channels", 0) != 0;
  node.remove_attribute("normalize_variance");
  node.remove_attribute("across_channels");
  if (is_across) set_attribute(node, "axes", Integers{0, 1, 2, 3});
  return node;
}

Node& pad_up(Node& node) {
  const float value = float_of(node, "value").value_or(0);
  node.remove_attribute("value");
  move_to_input(node, "pads", 1);
  if (value != 0) set_input_at(node, 2, &number_like(node, static_cast<double>(value)));
  return node;
}

Node& pad_down(Node& node) {
  const std::optional<Integers> pads = constant_integers(node, 1, "pads");
  const Value* fill = node.input(2);
  if (fill != nullptr && !fill->is_constant()) refuse_form("its value is computed");
  const double value = fill != nullptr ? element_as_double(fill->constant(), 0) : 0;
  drop_inputs_from(node, 1);
  set_attribute(node, "pads", pads.value_or(Integers{}));
  Attribute attribute;
  attribute.name = "value";
  attribute.value = static_cast<float>(value);
  node.set_attribute(std::move(attribute));
  return node;
}

/// Before, all axes were padded.
Node& pad_axes_down(Node& node) {
  const std::optional<Integers> axes = constant_integers(node, 3, "axes");
  if (!axes) return node;
  const std::optional<Integers> pads = constant_integers(node, 1, "pads");
  const std::int64_t rank = node.input(0) != nullptr ? rank_of(*node.input(0)) : -1;
  if (rank < 0 || !pads || pads->size() != 2 * axes->size())
    refuse_form("the rank of its input is unknown, and 'axes' was introduced in opset 18");
  Integers all(static_cast<std::size_t>(2 * rank), 0);
  for (std::size_t i = 0; i < axes->size(); ++i) {
    const std::int64_t axis = (*axes)[i] < 0 ? (*axes)[i] + rank : (*axes)[i];
    all[static_cast<std::size_t>(axis)] = (*pads)[i];
    all[static_cast<std::size_t>(axis + rank)] = (*pads)[i + axes->size()];
  }
  drop_inputs_from(node, 3);
  Value* given = node.input(1);
  const Shape shape{2 * rank};
  node.graph().set_input(
      node, 1, &node.graph().add_constant("", Tensor::of<std::int64_t>(shape, std::span(all))));
  if (given->uses().empty()) node.graph().remove_value(*given);
  return node;
}

/// The mask has the data type before, and bool after.
Node& mask_across(Node& node) {
  Value* mask = node.output(1);
  if (mask == nullptr) return node;
  if (!mask->uses().empty()) refuse_form("its mask is used, and has another type in that opset");
  mask->set_type({});
  return node;
}

/// The ratio has no effect outside of training.
Node& dropout_up(Node& node) {
  node.remove_attribute("ratio");
  return node;
}

Node& dropout_down(Node& node) {
  const Value* training = node.input(2);
  if (training != nullptr &&
      !(training->is_constant() && element_as_int64(training->constant(), 0) == 0))
    refuse_form("it may be in training mode");
  drop_inputs_from(node, 1);
  return node;
}

// Resizing.

/// Replaces the node by one that takes its first inputs.
Node& replace_by(Node& node, const char* op_type, std::size_t input_count) {
  Graph& graph = node.graph();
  Value* const outputs[] = {node.output(0)};
  const std::string name(node.name());
  std::vector<Attribute> kept;
  for (const Attribute& attribute : node.attributes()) {
    Attribute& copy = kept.emplace_back();
    copy.name = attribute.name;
    if (const auto* text = std::get_if<std::string>(&attribute.value)) copy.value = *text;
    if (const auto* number = std::get_if<std::int64_t>(&attribute.value)) copy.value = *number;
  }
  Node* before = node.next();
  std::vector<Value*> inputs = take_out(node);
  inputs.resize(input_count);
  Node& made = graph.add_node(op_type, "", inputs, outputs, name, before);
  for (Attribute& attribute : kept) made.set_attribute(std::move(attribute));
  return made;
}

Node& upsample_up(Node& node) {
  return replace_by(node, "Resize", 2);
}

Node& scatter_up(Node& node) {
  return replace_by(node, "ScatterElements", 3);
}

Node& scatter_down(Node& node) {
  return replace_by(node, "Scatter", 3);
}

void rename_mode(Node& node, std::string_view from, const char* to) {
  const Attribute* attribute = node.find_attribute("mode");
  const auto* text = attribute != nullptr ? std::get_if<std::string>(&attribute->value) : nullptr;
  if (text != nullptr && *text == from) set_attribute(node, "mode", to);
}

Node& grid_sample_up(Node& node) {
  rename_mode(node, "bilinear", "linear");
  rename_mode(node, "bicubic", "cubic");
  return node;
}

Node& grid_sample_down(Node& node) {
  if (node.input(0) == nullptr || rank_of(*node.input(0)) != 4)
    refuse_form("its input is not known to have 4 axes");
  if (node.find_attribute("mode") == nullptr) set_attribute(node, "mode", "bilinear");
  rename_mode(node, "linear", "bilinear");
  rename_mode(node, "cubic", "bicubic");
  return node;
}

Node& dft_up(Node& node) {
  const std::int64_t axis = integer_of(node, "axis", 1);
  node.remove_attribute("axis");
  Tensor tensor(DataType::int64, Shape());
  set_element(tensor, 0, axis);
  set_input_at(node, 2, &node.graph().add_constant("", std::move(tensor)));
  return node;
}

Node& dft_down(Node& node) {
  const std::optional<Integers> axis = constant_integers(node, 2, "axis");
  drop_inputs_from(node, 2);
  set_attribute(node, "axis", axis && !axis->empty() ? axis->front() : -2);
  return node;
}

/// `spatial` was removed together with its behavior at 0.
Node& batch_norm_up(Node& node) {
  if (integer_of(node, "spatial", 1) == 0)
    refuse_form("spatial = 0 has no equivalent in that opset");
  node.remove_attribute("spatial");
  return node;
}

constexpr OpsetStep steps[] = {
    {"Concat", 4, legacy::concat_up, nullptr},
    {"Reshape", 5, second_input_up<shape_name>, second_input_down<shape_name>},
    {"Cast", 6, legacy::cast_up, legacy::cast_down},
    {"Clip", 6, guards::unbounded_clip_up, nullptr},
    {"Add", 7, legacy::broadcast_up, legacy::broadcast_down},
    {"And", 7, legacy::broadcast_up, legacy::broadcast_down},
    {"BatchNormalization", 7, legacy::batch_norm_up, nullptr},
    {"Div", 7, legacy::broadcast_up, legacy::broadcast_down},
    {"Dropout", 7, legacy::dropout_up, legacy::dropout_down},
    {"Equal", 7, legacy::broadcast_up, legacy::broadcast_down},
    {"GRU", 7, legacy::recurrent_up, legacy::recurrent_down},
    {"Gemm", 7, legacy::gemm_up, legacy::gemm_down},
    {"Greater", 7, legacy::broadcast_up, legacy::broadcast_down},
    {"LSTM", 7, legacy::recurrent_up, legacy::recurrent_down},
    {"Less", 7, legacy::broadcast_up, legacy::broadcast_down},
    {"Mul", 7, legacy::broadcast_up, legacy::broadcast_down},
    {"Or", 7, legacy::broadcast_up, legacy::broadcast_down},
    {"PRelu", 7, legacy::prelu_up, legacy::prelu_down},
    {"Pow", 7, legacy::broadcast_up, legacy::broadcast_down},
    {"RNN", 7, legacy::recurrent_up, legacy::recurrent_down},
    {"Sub", 7, legacy::broadcast_up, legacy::broadcast_down},
    {"Xor", 7, legacy::broadcast_up, legacy::broadcast_down},
    {"Max", 8, nullptr, legacy::same_shapes_down},
    {"Mean", 8, nullptr, legacy::same_shapes_down},
    {"Min", 8, nullptr, legacy::same_shapes_down},
    {"Sum", 8, nullptr, legacy::same_shapes_down},
    {"BatchNormalization", 9, batch_norm_up, nullptr},
    {"Upsample", 9, legacy::upsample_up, legacy::upsample_down},
    {"Affine", 10, withdrawn::affine_up, nullptr},
    {"Crop", 10, withdrawn::crop_up, nullptr},
    {"Dropout", 10, mask_across, mask_across},
    {"ImageScaler", 10, withdrawn::image_scaler_up, nullptr},
    {"Slice", 10, slice_up, slice_down},
    {"TopK", 10, top_k_up, top_k_down},
    {"Upsample", 10, upsample_up, nullptr},
    {"Clip", 11, guards::clip_up, guards::clip_down},
    {"OneHot", 11, guards::one_hot, guards::one_hot},
    {"MeanVarianceNormalization", 9, mean_variance_up, nullptr},
    {"Pad", 11, pad_up, pad_down},
    {"Resize", 11, legacy::resize_up, nullptr},
    {"Scatter", 11, scatter_up, nullptr},
    {"ScatterElements", 11, nullptr, scatter_down},
    {"Dropout", 12, dropout_up, dropout_down},
    {"DequantizeLinear", 13, nullptr, guards::single_scale_down},
    {"Hardmax", 13, softmax_up, softmax_down},
    {"LogSoftmax", 13, softmax_up, softmax_down},
    {"QuantizeLinear", 13, nullptr, guards::single_scale_down},
    {"ReduceSum", 13, axes_up, axes_down},
    {"Softmax", 13, softmax_up, softmax_down},
    {"Split", 13, second_input_up<split_name>, second_input_down<split_name>},
    {"Squeeze", 13, axes_up, axes_down},
    {"Unsqueeze", 13, axes_up, axes_down},
    {"RoiAlign", 16, guards::roi_align_up, guards::roi_align_down},
    {"Pad", 18, nullptr, pad_axes_down},
    {"ReduceL1", 18, axes_up, axes_down},
    {"ReduceL2", 18, axes_up, axes_down},
    {"ReduceLogSum", 18, axes_up, axes_down},
    {"ReduceLogSumExp", 18, axes_up, axes_down},
    {"ReduceMax", 18, axes_up, axes_down},
    {"ReduceMean", 18, axes_up, axes_down},
    {"ReduceMin", 18, axes_up, axes_down},
    {"ReduceProd", 18, axes_up, axes_down},
    {"ReduceSumSquare", 18, axes_up, axes_down},
    {"Split", 18, split_count_up, split_count_down},
    {"DFT", 20, dft_up, dft_down},
    {"GridSample", 20, grid_sample_up, grid_sample_down},
    {"GroupNormalization", 21, group_norm_up, group_norm_down},
    {"AveragePool", 22, guards::wide_window, guards::wide_window},
    {"LpPool", 22, guards::wide_window, guards::wide_window},
    {"MaxPool", 22, guards::wide_window, guards::wide_window},
    {"Cast", 24, guards::narrow_cast, guards::narrow_cast},
    {"CastLike", 24, guards::narrow_cast, guards::narrow_cast},
};

}  // namespace

std::span<const OpsetStep> opset_steps() {
  return steps;
}

const OpsetStep* find_opset_step(std::string_view op_type, std::int64_t since) {
  for (const OpsetStep& step : steps) {
    if (step.op_type == op_type && step.since == since) return &step;
  }
  return nullptr;
}

}  // namespace ortool
