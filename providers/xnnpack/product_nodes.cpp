// Matrix products of the xnnpack module: fully connected layers with constant weights.
#include <limits>

#include "providers/xnnpack/operator_list.hpp"

namespace ortool::xnnpack {
namespace {

constexpr float no_limit = std::numeric_limits<float>::infinity();

/// A bias of one number a column: [n], or [1, n].
bool is_row(const ortool_provider_value& value, std::int64_t columns) {
  return value.count == columns && value.rank >= 1 && value.rank <= 2 &&
         value.shape[value.rank - 1] == columns;
}

}  // namespace

std::string refuses_product(const NodeReader& node) {
  const ortool_provider_value* weights = node.input(1);
  if (!is_float_variable(node.input(0)) || !is_float_constant(weights) || weights->rank != 2)
    return "XNNPACK multiplies float32 matrices by constant matrices";
  if (weights->count == 0) return "XNNPACK multiplies by no empty matrix";
  if (is_image(node.input(0)) || node.input(0)->rank < 2)
    return "XNNPACK multiplies values of rank 2 and 3";
  if (node.is("MatMul")) return {};
  if (node.integer("transA", 0) != 0) return "XNNPACK does not transpose the left matrix";
  if (node.number("alpha", 1) != 1) return "XNNPACK does not scale products";
  if (node.input(2) == nullptr) return {};
  const std::int64_t columns = weights->shape[node.integer("transB", 0) != 0 ? 0 : 1];
  if (node.number("beta", 1) != 1 || !is_float_constant(node.input(2)) ||
      !is_row(*node.input(2), columns))
    return "XNNPACK adds a constant row, unscaled";
  return {};
}

xnn_status define_product(GraphBuilder& graph, const NodeReader& node) {
  const ortool_provider_value& weights = *node.input(1);
  const bool is_transposed = node.is("Gemm") && node.integer("transB", 0) != 0;
  const float* elements = floats_of(weights);
  const std::uint32_t filter = graph.constant(
      {static_cast<std::size_t>(weights.shape[0]), static_cast<std::size_t>(weights.shape[1])},
      {elements, elements + weights.count});
  std::uint32_t bias = XNN_INVALID_VALUE_ID;
  if (const ortool_provider_value* added = node.input(2)) {
    const float* row = floats_of(*added);
    bias = graph.constant({static_cast<std::size_t>(added->count)}, {row, row + added->count});
  }
  const std::uint32_t x = graph.id_of(node.input(0));
  return xnn_define_fully_connected(graph.subgraph(), -no_limit, no_limit, x, filter, bias,
                                    graph.id_of(node.output(0)),
                                    is_transposed ? 0 : XNN_FLAG_TRANSPOSE_WEIGHTS);
}

}  // namespace ortool::xnnpack
