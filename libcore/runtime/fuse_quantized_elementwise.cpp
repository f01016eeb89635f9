// Sums and products of bytes, functions of one byte as tables, and operators that move bytes.
#include <algorithm>
#include <array>
#include <numeric>

#include "libcore/ops/own_domain.hpp"
#include "libcore/runtime/quantized_cluster.hpp"
#include "libcore/runtime/session_nodes.hpp"

namespace ortool {
namespace {

constexpr std::int64_t opset_with_byte_pool = 12;
constexpr std::int64_t opset_with_broadcasting = 7;
constexpr std::int64_t opset_with_coordinates = 11;  // of Resize

template <std::size_t count>
bool is_one_of(const std::array<std::string_view, count>& names, const Node& node) {
  return node.domain().empty() &&
         std::find(names.begin(), names.end(), node.op_type()) != names.end();
}

constexpr std::array<std::string_view, 3> sums = {"Add", "Mul", "Sub"};

/// Functions of one element whose other inputs, if any, are scalars.
constexpr std::array<std::string_view, 37> functions = {"Abs",
                                                        "Add",
                                                        "Ceil",
                                                        "Celu",
                                                        "Clip",
                                                        "Cos",
                                                        "Div",
                                                        "Elu",
                                                        "Erf",
                                                        "Exp",
                                                        "Floor",
                                                        "Gelu",
                                                        "HardSigmoid",
                                                        "HardSwish",
                                                        "LeakyRelu",
                                                        "Log",
                                                        "Max",
                                                        "Min",
                                                        "Mish",
                                                        "Mul",
                                                        "Neg",
                                                        "Pow",
                                                        "Reciprocal",
                                                        "Relu",
                                                        "Round",
                                                        "Selu",
                                                        "Sigmoid",
                                                        "Sign",
                                                        "Sin",
                                                        "Softplus",
                                                        "Softsign",
                                                        "Sqrt",
                                                        "Sub",
                                                        "Swish",
                                                        "Tan",
                                                        "Tanh",
                                                        "ThresholdedRelu"};

/// Operators that make their first input's elements anew in another order.
constexpr std::array<std::string_view, 15> moves = {
    "DepthToSpace", "Expand",       "Flatten", "Gather",    "GatherElements",
    "GatherND",     "Identity",     "MaxPool", "Reshape",   "Resize",
    "Slice",        "SpaceToDepth", "Squeeze", "Transpose", "Unsqueeze"};

void set_integer(Node& node, std::string_view name, std::int64_t value) {
  Attribute attribute;
  attribute.name = name;
  attribute.value = value;
  node.set_attribute(std::move(attribute));
}

/// The input that is no constant, when all others are scalars; -1 otherwise.
std::int64_t computed_input(const Node& node) {
  std::int64_t found = -1;
  for (std::int64_t i = 0; i < node.input_count(); ++i) {
    const Value* input = node.input(i);
    if (input == nullptr) continue;
    if (input->is_constant()) {
      if (input->constant().shape().rank() != 0) return -1;
    } else if (found >= 0) {
      return -1;
    } else {
      found = i;
    }
  }
  return found;
}

/// The functions of one element before a value, last first; `value` becomes what they start from.
std::vector<const Node*> peel_functions(const Value*& value) {
  std::vector<const Node*> found;
  while (const Node* node = only_maker(value)) {
    const std::int64_t input = computed_input(*node);
    if (!is_one_of(functions, *node) || input < 0 || !has_plain_attributes(*node)) break;
    found.push_back(node);
    value = node->input(input);
  }
  return found;
}

/// The bytes of `from` as those that dequantising, `nodes` (last first) and the end make of them.
Value& look_up(const ClusterEditor& editor, const Node& end, const Quantization& from, Value& bytes,
               const std::vector<const Node*>& nodes) {
  Tensor all(from.type, Shape({256}));
  auto* numbers = reinterpret_cast<std::uint8_t*>(all.mutable_bytes());
  std::iota(numbers, numbers + 256, std::uint8_t{0});
  std::vector<Value*> inputs = {&editor.constant(std::move(all)), from.scale};
  if (from.zero_point != nullptr) inputs.push_back(from.zero_point);
  Value* table = &editor.add("DequantizeLinear", "", inputs);
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    const std::int64_t computed = computed_input(**node);
    inputs.clear();
    for (std::int64_t i = 0; i < (*node)->input_count(); ++i)
      inputs.push_back(i == computed ? table : (*node)->input(i));
    table = &editor.add((*node)->op_type(), "", inputs, *node);
  }
  inputs = {table, end.input(1)};
  if (end.input(2) != nullptr) inputs.push_back(end.input(2));
  table = &editor.add("QuantizeLinear", "", inputs, &end);
  return editor.add("ByteLookup", own_domain, {&bytes, table});
}

std::string_view text_of(const Node& node, std::string_view name, std::string_view fallback) {
  const Attribute* found = node.find_attribute(name);
  const auto* text = found == nullptr ? nullptr : std::get_if<std::string>(&found->value);
  return text == nullptr ? fallback : std::string_view(*text);
}

/// Whether each element of what a Resize makes is one of those it reads.
bool only_repeats(const Node& node) {
  return text_of(node, "mode", "nearest") == "nearest" &&
         text_of(node, "coordinate_transformation_mode", "half_pixel") != "tf_crop_and_resize";
}

bool fuse_concat(ClusterEditor& editor, const Node& end, const Quantization& to, const Node& node) {
  std::vector<Quantization> parts;
  for (std::int64_t i = 0; i < node.input_count(); ++i) {
    const std::optional<Quantization> part = dequantized_bytes(node.input(i));
    if (!part) return false;
    parts.push_back(*part);
  }
  std::vector<Value*> inputs;
  for (const Quantization& part : parts) {
    inputs.push_back(part.is_like(to) ? part.bytes : &look_up(editor, end, part, *part.bytes, {}));
  }
  editor.finish(editor.add("Concat", "", inputs, &node));
  return true;
}

/// The bytes of `from`, changed only if they have to be.
Value& convert_bytes(const ClusterEditor& editor, const Node& end, const Quantization& from,
                     Value& bytes, const std::vector<const Node*>& nodes, const Quantization& to) {
  return nodes.empty() && from.is_like(to) ? bytes : look_up(editor, end, from, bytes, nodes);
}

}  // namespace

bool fuse_quantized_binary(ClusterEditor& editor, const Node& end, const Quantization& to) {
  const Value* value = end.input(0);
  const ByteBounds bounds = peel_clips(value, to);
  const Node* node = only_maker(value);
  if (node == nullptr || !is_one_of(sums, *node) ||
      editor.graph().opset("") < opset_with_broadcasting)
    return false;
  const std::optional<Quantization> a = dequantized_bytes(node->input(0));
  const std::optional<Quantization> b = dequantized_bytes(node->input(1));
  if (!a || !b) return false;
  Value& result = editor.add("QuantizedBinary", own_domain,
                             {a->bytes, a->scale, &editor.zero_point_of(*a), b->bytes, b->scale,
                              &editor.zero_point_of(*b), to.scale, &editor.zero_point_of(to)});
  Node& made = ClusterEditor::maker(result);
  Attribute operation;
  operation.name = "operation";
  operation.value = std::string(node->op_type());
  made.set_attribute(std::move(operation));
  set_integer(made, "low", bounds.low);
  set_integer(made, "high", bounds.high);
  editor.finish(result);
  return true;
}

bool fuse_quantized_move(ClusterEditor& editor, const Node& end, const Quantization& to) {
  const Value* value = end.input(0);
  const std::vector<const Node*> nodes = peel_functions(value);
  if (const std::optional<Quantization> from = dequantized_bytes(value)) {
    editor.finish(convert_bytes(editor, end, *from, *from->bytes, nodes, to));
    return true;
  }
  const Node* node = only_maker(value);
  if (node == nullptr || !has_plain_attributes(*node)) return false;
  if (node->domain().empty() && node->op_type() == "Concat" && nodes.empty())
    return fuse_concat(editor, end, to, *node);
  const std::int64_t opset = editor.graph().opset("");
  const bool is_pool = node->op_type() == "MaxPool";
  const bool is_resize = node->op_type() == "Resize";
  if (!is_one_of(moves, *node) || (is_pool && opset < opset_with_byte_pool)) return false;
  if (is_resize && (opset < opset_with_coordinates || !only_repeats(*node))) return false;
  if (node->output_count() > 1 && node->output(1) != nullptr) return false;
  const std::optional<Quantization> from = dequantized_bytes(node->input(0));
  if (!from) return false;
  std::vector<Value*> inputs = {from->bytes};
  for (std::int64_t i = 1; i < node->input_count(); ++i) inputs.push_back(node->input(i));
  Value& moved = editor.add(node->op_type(), "", inputs, node);
  editor.finish(convert_bytes(editor, end, *from, moved, nodes, to));
  return true;
}

}  // namespace ortool
