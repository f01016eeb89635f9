// Elementwise operators and softmax of the xnnpack module.
#include <algorithm>
#include <cmath>
#include <limits>

#include "providers/xnnpack/operator_list.hpp"

namespace ortool::xnnpack {
namespace {

constexpr float unbounded = std::numeric_limits<float>::infinity();

/// The bounds of a Clip; false: they are not constants, or none that XNNPACK takes.
bool find_bounds(const NodeReader& node, float& low, float& high) {
  low = node.number("min", -unbounded);
  high = node.number("max", unbounded);
  for (const std::size_t index : {std::size_t{1}, std::size_t{2}}) {
    const ortool_provider_value* bound = node.input(index);
    if (bound == nullptr) continue;
    if (!is_float_constant(bound) || bound->count != 1) return false;
    (index == 1 ? low : high) = *floats_of(*bound);
  }
  return low < high;
}

}  // namespace

std::string refuses_binary(const NodeReader& node) {
  if (node.node().input_count != 2) return "XNNPACK takes two operands";
  if (node.has("broadcast")) return "the broadcasting of opset 6 is not used";
  const ortool_provider_value* a = node.input(0);
  const ortool_provider_value* b = node.input(1);
  const auto fits = [](const ortool_provider_value* value) {
    return is_float_variable(value) || is_float_constant(value);
  };
  if (!fits(a) || !fits(b)) return "XNNPACK computes float32 of rank 1 to 6";
  const std::int32_t rank = std::max(a->rank, b->rank);
  for (const ortool_provider_value* value : {a, b}) {
    if (value->is_constant != 0 && value->count == 0) return "a constant is empty";
    if (value->is_constant == 0 && rank == image_rank && value->rank != rank)
      return "channels are innermost in XNNPACK's images, to which operands of lower rank do not "
             "broadcast";
  }
  return rank > 6 ? "XNNPACK computes up to 6 axes" : "";
}

xnn_status define_binary(GraphBuilder& graph, const NodeReader& node) {
  const std::int32_t rank = node.output(0)->rank;
  const std::uint32_t a = graph.operand(node.input(0), rank);
  const std::uint32_t b = graph.operand(node.input(1), rank);
  const std::uint32_t y = graph.id_of(node.output(0));
  const xnn_subgraph_t subgraph = graph.subgraph();
  if (node.is("Add")) return xnn_define_add2(subgraph, -unbounded, unbounded, a, b, y, 0);
  if (node.is("Sub")) return xnn_define_subtract(subgraph, -unbounded, unbounded, a, b, y, 0);
  if (node.is("Mul")) return xnn_define_multiply2(subgraph, -unbounded, unbounded, a, b, y, 0);
  if (node.is("Div")) return xnn_define_divide(subgraph, -unbounded, unbounded, a, b, y, 0);
  if (node.is("Max")) return xnn_define_maximum2(subgraph, a, b, y, 0);
  return xnn_define_minimum2(subgraph, a, b, y, 0);
}

std::string refuses_unary(const NodeReader& node) {
  if (!is_float_variable(node.input(0))) return "XNNPACK computes float32 of rank 1 to 6";
  float low = 0;
  float high = 0;
  if (node.is("Clip") && !find_bounds(node, low, high))
    return "XNNPACK clips to constant bounds, the lower one less than the upper one";
  const float alpha = node.number("alpha", node.is("Elu") ? 1.0F : 0.01F);
  if (node.is("Elu") && !(alpha > 0 && std::isnormal(alpha)))
    return "XNNPACK's Elu needs alpha > 0";
  if (node.is("LeakyRelu") && !std::isfinite(alpha)) return "XNNPACK needs a finite slope";
  return {};
}

xnn_status define_unary(GraphBuilder& graph, const NodeReader& node) {
  const std::uint32_t x = graph.id_of(node.input(0));
  const std::uint32_t y = graph.id_of(node.output(0));
  const xnn_subgraph_t subgraph = graph.subgraph();
  if (node.is("Relu")) return xnn_define_clamp(subgraph, 0, unbounded, x, y, 0);
  if (node.is("Clip")) {
    float low = 0;
    float high = 0;
    find_bounds(node, low, high);
    return xnn_define_clamp(subgraph, low, high, x, y, 0);
  }
  if (node.is("LeakyRelu"))
    return xnn_define_leaky_relu(subgraph, node.number("alpha", 0.01F), x, y, 0);
  if (node.is("Elu")) return xnn_define_elu(subgraph, node.number("alpha", 1.0F), x, y, 0);
  if (node.is("Abs")) return xnn_define_abs(subgraph, x, y, 0);
  if (node.is("Ceil")) return xnn_define_ceiling(subgraph, x, y, 0);
  if (node.is("Floor")) return xnn_define_floor(subgraph, x, y, 0);
  if (node.is("HardSwish")) return xnn_define_hardswish(subgraph, x, y, 0);
  if (node.is("Neg")) return xnn_define_negate(subgraph, x, y, 0);
  if (node.is("Round")) return xnn_define_bankers_rounding(subgraph, x, y, 0);
  if (node.is("Sigmoid")) return xnn_define_sigmoid(subgraph, x, y, 0);
  return xnn_define_square_root(subgraph, x, y, 0);
}

std::string refuses_softmax(const NodeReader& node) {
  const ortool_provider_value* x = node.input(0);
  if (!is_float_variable(x)) return "XNNPACK computes float32 of rank 1 to 6";
  const bool is_one_axis = node.node().opset >= 13;
  std::int64_t axis = node.integer("axis", is_one_axis ? -1 : 1);
  if (axis < 0) axis += x->rank;
  // Before opset 13 all axes from this one on are normalized together.
  if (!is_one_axis && axis != x->rank - 1)
    return "XNNPACK's softmax is along the innermost axis alone";
  const std::int64_t innermost = is_image(x) ? 1 : x->rank - 1;
  if (axis != innermost)
    return is_image(x) ? "XNNPACK's softmax is along the channels of an image"
                       : "XNNPACK's softmax is along the innermost axis";
  return {};
}

xnn_status define_softmax(GraphBuilder& graph, const NodeReader& node) {
  const std::uint32_t x = graph.id_of(node.input(0));
  return xnn_define_softmax(graph.subgraph(), x, graph.id_of(node.output(0)), 0);
}

std::string refuses_prelu(const NodeReader& node) {
  const ortool_provider_value* slope = node.input(1);
  if (!is_float_variable(node.input(0)) || !is_image(node.input(0)))
    return "XNNPACK's PRelu computes float32 images with two spatial axes";
  const std::int64_t channels = dimension_of(*node.input(0), 1);
  const bool is_by_channel = is_float_constant(slope) && slope->rank >= 3 && channels > 0 &&
                             slope->count == channels && slope->shape[slope->rank - 3] == channels;
  return is_by_channel ? "" : "XNNPACK's PRelu needs a constant slope for each channel";
}

xnn_status define_prelu(GraphBuilder& graph, const NodeReader& node) {
  const ortool_provider_value& slope = *node.input(1);
  const float* elements = floats_of(slope);
  const std::uint32_t slopes =
      graph.constant({static_cast<std::size_t>(slope.count)}, {elements, elements + slope.count});
  const std::uint32_t x = graph.id_of(node.input(0));
  return xnn_define_prelu(graph.subgraph(), x, slopes, graph.id_of(node.output(0)), 0);
}

}  // namespace ortool::xnnpack
