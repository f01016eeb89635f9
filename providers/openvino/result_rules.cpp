// Result rules: a table of operators, by what the operator cases show.
#include "providers/openvino/result_rules.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>

namespace ortool::openvino {
namespace {

using Node = ortool_provider_node;

const ortool_provider_attribute* find_attribute(const Node& node, std::string_view name) {
  for (std::size_t i = 0; i < node.attribute_count; ++i) {
    if (name == node.attributes[i]->name) return node.attributes[i];
  }
  return nullptr;
}

/// Whether an attribute has another value than the integer that it has by default.
bool has_other(const Node& node, std::string_view name, std::int64_t usual) {
  const ortool_provider_attribute* attribute = find_attribute(node, name);
  if (attribute == nullptr) return false;
  return attribute->kind != 2 || *static_cast<const std::int64_t*>(attribute->data) != usual;
}

bool has_input(const Node& node, std::size_t index) {
  return index < node.input_count && node.inputs[index] != nullptr;
}

bool is_open(const Node& node, std::size_t index) {
  return has_input(node, index) && node.inputs[index]->is_constant == 0;
}
bool always(const Node&) {
  return true;
}
bool has_ceil_mode(const Node& node) {
  return has_other(node, "ceil_mode", 0);
}
/// An element of an attribute that is a list of integers, which may be left out.
std::int64_t element_of(const Node& node, std::string_view name, std::int32_t index,
                        std::int64_t usual) {
  const ortool_provider_attribute* list = find_attribute(node, name);
  if (list == nullptr || list->kind != 7 || static_cast<std::size_t>(index) >= list->count)
    return usual;
  return static_cast<const std::int64_t*>(list->data)[index];
}

/// Whether an output_shape may leave padding that has no two equal halves.
bool has_uneven_padding(const Node& node) {
  const ortool_provider_attribute* wanted = find_attribute(node, "output_shape");
  if (wanted == nullptr) return false;
  if (!has_input(node, 0) || !has_input(node, 1)) return true;
  const ortool_provider_value& image = *node.inputs[0];
  const ortool_provider_value& weights = *node.inputs[1];
  if (image.rank < 3 || weights.rank != image.rank || wanted->kind != 7) return true;
  if (wanted->count != static_cast<std::size_t>(image.rank) - 2) return true;
  for (std::int32_t axis = 0; axis < image.rank - 2; ++axis) {
    const std::int64_t size = image.shape[axis + 2];
    const std::int64_t kernel = weights.shape[axis + 2];
    if (size < 0 || kernel < 0) return true;
    const std::int64_t whole = element_of(node, "strides", axis, 1) * (size - 1) +
                               element_of(node, "output_padding", axis, 0) +
                               element_of(node, "dilations", axis, 1) * (kernel - 1) + 1;
    const std::int64_t padding = whole - element_of(node, "output_shape", axis, 0);
    if (padding < 0 || padding % 2 != 0) return true;
  }
  return false;
}
bool has_window(const Node& node) {
  return has_other(node, "left_window_size", -1) || has_other(node, "right_window_size", -1);
}
bool is_causal_behind_cache(const Node& node) {
  constexpr std::size_t past_key = 4;
  return has_other(node, "is_causal", 0) && has_input(node, past_key);
}
bool is_of_one(const Node& node) {
  return node.input_count == 1;
}
bool has_odd_gates(const Node& node) {
  constexpr std::size_t peepholes = 7;
  return has_input(node, peepholes) || has_other(node, "input_forget", 0);
}
bool gives_scalar(const Node& node) {
  return node.output_count > 0 && node.outputs[0] != nullptr && node.outputs[0]->rank == 0;
}
bool has_even_size(const Node& node) {
  const ortool_provider_attribute* size = find_attribute(node, "size");
  return size != nullptr && size->kind == 2 &&
         *static_cast<const std::int64_t*>(size->data) % 2 == 0;
}
bool is_before_opset_9(const Node& node) {
  return node.opset < 9;
}
bool is_cut_at_axis_0(const Node& node) {
  return node.opset < 13 && find_attribute(node, "axis") != nullptr && !has_other(node, "axis", 0);
}
bool has_mode(const Node& node) {
  return find_attribute(node, "mode") != nullptr;
}
bool has_axis_before_opset_7(const Node& node) {
  return node.opset < 7 && find_attribute(node, "axis") != nullptr;
}
bool has_past_key(const Node& node) {
  return has_input(node, 3);
}
bool has_bias_beside_heads(const Node& node) {
  constexpr std::size_t bias = 3;
  return has_input(node, bias) && has_input(node, 1) && node.inputs[1]->rank == 4;
}
bool has_past_length(const Node& node) {
  return has_input(node, 8);
}

bool has_open_axes(const Node& node) {
  if (has_other(node, "noop_with_empty_axes", 0)) return true;
  return is_open(node, 1);
}

bool is_text(const ortool_provider_attribute* attribute, std::string_view text) {
  return attribute != nullptr && attribute->kind == 3 &&
         text == std::string_view(static_cast<const char*>(attribute->data), attribute->count);
}

/// Whether scales may lead to a size that is not an integer.
bool leaves_fraction(const Node& node) {
  constexpr std::size_t scales_index = 2;
  if (!has_input(node, scales_index) || !has_input(node, 0)) return false;
  const ortool_provider_value& scales = *node.inputs[scales_index];
  const ortool_provider_value& image = *node.inputs[0];
  if (scales.count == 0) return false;
  if (scales.data == nullptr || scales.count != image.rank) return true;
  for (std::int32_t i = 0; i < image.rank; ++i) {
    const float scale = static_cast<const float*>(scales.data)[i];
    const float size = scale * static_cast<float>(image.shape[i]);
    if (scale != 1 && (image.shape[i] < 0 || size != std::floor(size))) return true;
  }
  return false;
}

bool resizes_otherwise(const Node& node) {
  if (has_other(node, "antialias", 0) || has_other(node, "exclude_outside", 0)) return true;
  const auto* policy = find_attribute(node, "keep_aspect_ratio_policy");
  if (policy != nullptr && !is_text(policy, "stretch")) return true;
  const auto* mode = find_attribute(node, "coordinate_transformation_mode");
  return is_text(mode, "align_corners") && leaves_fraction(node);
}

bool has_open_repeats(const Node& node) {
  return is_open(node, 1);
}
/// Indices that are not known, or that may lie outside of some dimension.
bool has_unsafe_indices(const Node& node) {
  constexpr std::int32_t int64_type = 7;
  if (!has_input(node, 0) || !has_input(node, 1)) return true;
  const ortool_provider_value& data = *node.inputs[0];
  const ortool_provider_value& indices = *node.inputs[1];
  if (indices.is_constant == 0 || indices.data == nullptr || data.rank < 1) return true;
  const std::int64_t least = *std::min_element(data.shape, data.shape + data.rank);
  for (std::int64_t i = 0; i < indices.count; ++i) {
    const std::int64_t index = indices.type == int64_type
                                   ? static_cast<const std::int64_t*>(indices.data)[i]
                                   : static_cast<const std::int32_t*>(indices.data)[i];
    if (index < -least || index >= least) return true;
  }
  return false;
}
/// Steps that are not known, or beyond 32 bits.
bool has_odd_steps(const Node& node) {
  constexpr std::size_t steps_index = 4;
  constexpr std::int32_t int64_type = 7;
  if (!has_input(node, steps_index)) return false;
  const ortool_provider_value& steps = *node.inputs[steps_index];
  if (steps.is_constant == 0 || steps.data == nullptr) return true;
  if (steps.type != int64_type) return false;
  const auto* numbers = static_cast<const std::int64_t*>(steps.data);
  return std::any_of(numbers, numbers + steps.count,
                     [](std::int64_t step) { return step > INT32_MAX || step <= INT32_MIN; });
}

bool takes_away(const std::int64_t* pads, std::size_t count) {
  return std::any_of(pads, pads + count, [](std::int64_t pad) { return pad < 0; });
}

/// Pads that are not known, or that take elements away.
bool may_take_away(const Node& node) {
  const ortool_provider_attribute* given = find_attribute(node, "pads");
  if (given != nullptr && given->kind == 7)
    return takes_away(static_cast<const std::int64_t*>(given->data), given->count);
  if (!has_input(node, 1)) return false;
  const ortool_provider_value& pads = *node.inputs[1];
  if (pads.is_constant == 0 || pads.data == nullptr) return true;
  return takes_away(static_cast<const std::int64_t*>(pads.data),
                    static_cast<std::size_t>(pads.count));
}

struct Rule {
  std::string_view op_type;
  bool (*applies)(const Node& node);
  std::string_view reason;
};

constexpr std::string_view other_numbers = "OpenVINO draws other random numbers";
constexpr std::string_view unwritten = "OpenVINO does not write what it passes on";
constexpr std::string_view no_axis = "OpenVINO does not broadcast along an axis";

constexpr std::string_view open_indices = "OpenVINO writes where indices say, without checks";
constexpr std::string_view open_axes =
    "OpenVINO needs axes that are constant, and reduces at least one";

constexpr Rule standard_rules[] = {
    {"And", &has_axis_before_opset_7, no_axis},
    {"Attention", &has_window, "OpenVINO ignores windows of Attention"},
    {"Attention", &is_causal_behind_cache,
     "OpenVINO counts causal positions otherwise behind a cache"},
    {"AveragePool", &has_ceil_mode, "OpenVINO counts pixels behind the padding with ceil_mode"},
    {"Bernoulli", &always, other_numbers},
    {"ConvTranspose", &has_uneven_padding,
     "OpenVINO splits the padding of an output_shape otherwise"},
    {"DFT", &always, "OpenVINO's spectra have other axes and lengths than ONNX's"},
    {"Dropout", &always, other_numbers},
    {"Equal", &has_axis_before_opset_7, no_axis},
    {"Greater", &has_axis_before_opset_7, no_axis},
    {"LRN", &has_even_size, "OpenVINO's LRN with an even size begins at another channel"},
    {"LSTM", &has_odd_gates, "OpenVINO has neither peepholes nor coupled gates"},
    {"Less", &has_axis_before_opset_7, no_axis},
    {"LpPool", &has_ceil_mode, "OpenVINO's LpPool has other windows with ceil_mode"},
    {"Einsum", &is_of_one, unwritten},
    {"Max", &is_of_one, unwritten},
    {"Mean", &is_of_one, unwritten},
    {"MeanVarianceNormalization", &is_before_opset_9,
     "OpenVINO ignores the attributes of MeanVarianceNormalization before opset 9"},
    {"Min", &is_of_one, unwritten},
    {"Multinomial", &always, other_numbers},
    {"Or", &has_axis_before_opset_7, no_axis},
    {"Pad", &may_take_away, "OpenVINO has other results for pads that take elements away"},
    {"Pow", &has_axis_before_opset_7, no_axis},
    {"RandomNormal", &always, other_numbers},
    {"RandomNormalLike", &always, other_numbers},
    {"RandomUniform", &always, other_numbers},
    {"RandomUniformLike", &always, other_numbers},
    {"ReduceL1", &has_open_axes, open_axes},
    {"ReduceL2", &has_open_axes, open_axes},
    {"ReduceLogSum", &has_open_axes, open_axes},
    {"ReduceLogSumExp", &has_open_axes, open_axes},
    {"ReduceMax", &has_open_axes, open_axes},
    {"ReduceMean", &has_open_axes, open_axes},
    {"ReduceMin", &has_open_axes, open_axes},
    {"ReduceProd", &has_open_axes, open_axes},
    {"ReduceSum", &has_open_axes, open_axes},
    {"ReduceSumSquare", &has_open_axes, open_axes},
    {"Reshape", &gives_scalar, "OpenVINO ends the process where a product becomes a scalar"},
    {"Resize", &resizes_otherwise,
     "OpenVINO has other sizes or weights with antialias, exclude_outside, a kept ratio or corners "
     "of "
     "a fraction"},
    {"RoiAlign", &always, "OpenVINO samples regions at other points"},
    {"Scatter", &has_unsafe_indices, open_indices},
    {"ScatterElements", &has_unsafe_indices, open_indices},
    {"ScatterND", &has_unsafe_indices, open_indices},
    {"Slice", &has_odd_steps, "OpenVINO ends the process for steps beyond 32 bits"},
    {"Softmax", &is_cut_at_axis_0, "OpenVINO does not flatten what Softmax takes before opset 13"},
    {"SpaceToDepth", &has_mode, "OpenVINO has one order of SpaceToDepth"},
    {"Sum", &is_of_one, unwritten},
    {"Tile", &has_open_repeats, "OpenVINO repeats otherwise where repeats are not constant"},
    {"Xor", &has_axis_before_opset_7, no_axis},
};

/// Of com.microsoft.
constexpr Rule contrib_rules[] = {
    {"DynamicQuantizeLSTM", &always, "OpenVINO does not quantize the inputs of LSTM"},
    {"GroupQueryAttention", &has_past_key, "OpenVINO appends to a cache whose end may be unused"},
    {"MultiHeadAttention", &has_bias_beside_heads,
     "OpenVINO adds a bias to keys of four dimensions"},
    {"MultiHeadAttention", &has_past_length, "OpenVINO has no cache that a run fills further"},
    {"RotaryEmbedding", &always, "OpenVINO rotates other pairs"},
    {"SparseAttention", &always, "OpenVINO appends to a cache whose end may be unused"},
};

template <std::size_t count>
std::string refusal_in(const Rule (&rules)[count], const Node& node) {
  for (const Rule& rule : rules) {
    if (rule.op_type == node.op_type && rule.applies(node)) return std::string(rule.reason);
  }
  return {};
}

}  // namespace

std::string result_refusal(const ortool_provider_node& node) {
  return *node.domain == '\0' ? refusal_in(standard_rules, node) : refusal_in(contrib_rules, node);
}

}  // namespace ortool::openvino
