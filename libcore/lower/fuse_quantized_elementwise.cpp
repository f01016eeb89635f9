// Elementwise Add, Sub and Mul of two quantized tensors.
#include <algorithm>
#include <array>

#include "libcore/graph/attribute_access.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/lower/quantized_cluster.hpp"
#include "libcore/ops/own_domain.hpp"
#include "libcore/ops/version_facts.hpp"

namespace ortool {
namespace {

constexpr std::array<std::string_view, 3> sum_operators = {"Add", "Mul", "Sub"};

bool is_sum(const Node& node) {
  return node.domain().empty() && std::find(sum_operators.begin(), sum_operators.end(),
                                            node.op_type()) != sum_operators.end();
}

}  // namespace

bool fuse_quantized_binary(ClusterEditor& editor, const Node& end, const Quantization& to) {
  const Value* value = end.input(0);
  const Int8Bounds bounds = peel_clips(value, to);
  const Node* node = only_producer(value);
  if (node == nullptr || !is_sum(*node) || editor.graph().opset("") < opset_of_broadcasting())
    return false;
  const std::optional<Quantization> a = dequantized_bytes(node->input(0));
  const std::optional<Quantization> b = dequantized_bytes(node->input(1));
  if (!a || !b) return false;
  Value& result = editor.add("QuantizedBinary", own_domain,
                             {a->bytes, a->scale, &editor.zero_point_of(*a), b->bytes, b->scale,
                              &editor.zero_point_of(*b), to.scale, &editor.zero_point_of(to)});
  Node& made = ClusterEditor::producer(result);
  Attribute operation;
  operation.name = "operation";
  operation.value = std::string(node->op_type());
  made.set_attribute(std::move(operation));
  set_attribute(made, "low", bounds.low);
  set_attribute(made, "high", bounds.high);
  editor.finish(result);
  return true;
}

}  // namespace ortool
