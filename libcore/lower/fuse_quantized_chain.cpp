// Quantized chains between DequantizeLinear and QuantizeLinear: elementwise functions become lookup
// tables, and data movement operates on int8.
#include <algorithm>
#include <numeric>

#include "libcore/graph/graph.hpp"
#include "libcore/lower/node_predicates.hpp"
#include "libcore/lower/quantized_chain.hpp"
#include "libcore/lower/quantized_cluster.hpp"
#include "libcore/ops/own_domain.hpp"

namespace ortool {
namespace {

constexpr std::int64_t table_size = 256;

/// The shape in which functions are evaluated to fill a table: all 256 values along the dimension
/// after the channels, so that constants broadcast as in the original.
Shape table_shape(const QuantizedChain& chain) {
  if (chain.rank <= 0) return Shape({table_size});
  std::vector<std::int64_t> dimensions(static_cast<std::size_t>(chain.rank), 1);
  if (chain.channels > 0) {
    dimensions[1] = chain.channels;
    dimensions[2] = table_size;
  } else {
    dimensions.back() = table_size;
  }
  return Shape(dimensions);
}

/// All 256 values, repeated to fill the shape.
Tensor all_bytes(DataType type, const Shape& shape) {
  Tensor all(type, shape);
  auto* numbers = reinterpret_cast<std::uint8_t*>(all.mutable_bytes());
  for (std::int64_t first = 0; first < shape.element_count(); first += table_size)
    std::iota(numbers + first, numbers + first + table_size, std::uint8_t{0});
  return all;
}

/// The lookup that replaces dequantization, the chain's functions and quantization.
Value& look_up(const ClusterEditor& editor, const Node& end, const Quantization& from, Value& bytes,
               const QuantizedChain& chain) {
  const Shape shape = table_shape(chain);
  std::vector<Value*> inputs = {&editor.constant(all_bytes(from.type, shape)), from.scale};
  if (from.zero_point != nullptr) inputs.push_back(from.zero_point);
  Value* table = &editor.add("DequantizeLinear", "", inputs);
  for (const QuantizedStep& step : chain.steps) {
    if (!step.is_function()) continue;
    inputs.clear();
    for (std::int64_t i = 0; i < step.node->input_count(); ++i)
      inputs.push_back(i == step.input ? table : step.node->input(i));
    table = &editor.add(step.node->op_type(), step.node->domain(), inputs, step.node);
  }
  inputs = {table, end.input(1)};
  if (end.input(2) != nullptr) inputs.push_back(end.input(2));
  table = &editor.add("QuantizeLinear", "", inputs, &end);
  const bool has_channels = chain.channels > 0;
  if (shape.rank() > 1) {
    Tensor wanted = has_channels
                        ? Tensor::of<std::int64_t>(Shape({2}), {chain.channels, table_size})
                        : Tensor::of<std::int64_t>(Shape({1}), {table_size});
    table = &editor.add("Reshape", "", {table, &editor.constant(std::move(wanted))});
  }
  return editor.add(has_channels ? "ChannelLookup" : "ByteLookup", own_domain, {&bytes, table});
}

/// The same movement of quantized elements; padding is zero.
Value& move_bytes(const ClusterEditor& editor, const Node& node, Value& bytes,
                  const Quantization& as) {
  std::vector<Value*> inputs = {&bytes};
  for (std::int64_t i = 1; i < node.input_count(); ++i) inputs.push_back(node.input(i));
  if (node.op_type() == "Pad") {
    inputs.resize(std::max<std::size_t>(3, inputs.size()));
    inputs[2] = &editor.zero_point_of(as);
  }
  return editor.add(node.op_type(), node.domain(), inputs, &node);
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

}  // namespace

bool fuse_quantized_chain(ClusterEditor& editor, const Node& end, const Quantization& to) {
  const Node* node = only_producer(end.input(0));
  if (node != nullptr && node->domain().empty() && node->op_type() == "Concat" &&
      has_plain_attributes(*node))
    return fuse_concat(editor, end, to, *node);
  const std::optional<QuantizedChain> chain = read_quantized_chain(end, editor.graph().opset(""));
  if (!chain) return false;
  const Quantization& from = chain->from;
  Value* bytes = from.bytes;
  const bool is_changed = chain->has_functions() || !from.is_like(to);
  if (is_changed && chain->looks_up_first) bytes = &look_up(editor, end, from, *bytes, *chain);
  for (const QuantizedStep& step : chain->steps) {
    if (!step.is_function())
      bytes = &move_bytes(editor, *step.node, *bytes, chain->looks_up_first ? to : from);
  }
  if (is_changed && !chain->looks_up_first) bytes = &look_up(editor, end, from, *bytes, *chain);
  editor.finish(*bytes);
  return true;
}

}  // namespace ortool
