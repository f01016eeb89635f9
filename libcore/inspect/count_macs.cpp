// Counting from shapes.
#include "libcore/inspect/count_macs.hpp"

#include <array>
#include <string_view>

#include "libcore/base/format.hpp"
#include "libcore/ops/catalog.hpp"

namespace ortool {
namespace {

/// Where an operator's data and weights stand among its inputs.
struct ProductOperator {
  enum class Kind { convolution, transposed_convolution, matrix };

  std::string_view op_type;
  Kind kind;
  std::int64_t data;
  std::int64_t weights;
};

constexpr std::array<ProductOperator, 8> product_operators = {{
    {"Conv", ProductOperator::Kind::convolution, 0, 1},
    {"ConvInteger", ProductOperator::Kind::convolution, 0, 1},
    {"QLinearConv", ProductOperator::Kind::convolution, 0, 3},
    {"ConvTranspose", ProductOperator::Kind::transposed_convolution, 0, 1},
    {"MatMul", ProductOperator::Kind::matrix, 0, 1},
    {"MatMulInteger", ProductOperator::Kind::matrix, 0, 1},
    {"QLinearMatMul", ProductOperator::Kind::matrix, 0, 3},
    {"Gemm", ProductOperator::Kind::matrix, 0, 1},
}};

const PartialShape& shape_of(const Value* value) {
  static const PartialShape unknown;
  return value != nullptr ? value->type().shape : unknown;
}

bool is_transposed(const Node& node) {
  const Attribute* attribute = node.find_attribute("transA");
  const auto* number =
      attribute != nullptr ? std::get_if<std::int64_t>(&attribute->value) : nullptr;
  return number != nullptr && *number != 0;
}

/// The product of the dimensions from `first` on.
Cost count_elements(const Dimensions& shape, std::size_t first, std::string_view name) {
  Cost cost = Cost::number(1);
  for (std::size_t i = first; i < shape.size(); ++i) {
    cost = cost.times(shape[i], format("{}[{}]", name, i));
  }
  return cost;
}

Cost count_product(const Node& node, const ProductOperator& product) {
  const Cost unknown = Cost::symbol(format("macs({})", node.name()));
  const Value* data = node.input(product.data);
  const Value* output = node.output(0);
  const PartialShape& data_shape = shape_of(data);
  const PartialShape& weight_shape = shape_of(node.input(product.weights));
  const PartialShape& output_shape = shape_of(output);
  if (!data_shape || !weight_shape || !output_shape) return unknown;

  if (product.kind == ProductOperator::Kind::matrix) {
    if (data_shape->empty()) return unknown;
    const bool is_column = node.op_type() == "Gemm" && is_transposed(node);
    const Dimension& depth = is_column ? data_shape->front() : data_shape->back();
    return count_elements(*output_shape, 0, output->name())
        .times(depth, format("{}[depth]", data->name()));
  }
  if (weight_shape->size() < 2) return unknown;
  const Cost window = count_elements(*weight_shape, 1, node.input(product.weights)->name());
  const bool is_transposed_convolution =
      product.kind == ProductOperator::Kind::transposed_convolution;
  return is_transposed_convolution ? count_elements(*data_shape, 0, data->name()).times(window)
                                   : count_elements(*output_shape, 0, output->name()).times(window);
}

}  // namespace

Cost MacCounter::count(const Node& node) const {
  if (node.domain().empty()) {
    for (const ProductOperator& product : product_operators) {
      if (product.op_type == node.op_type()) return count_product(node, product);
    }
  }
  if (find_op(node.domain(), node.op_type()) == nullptr) {
    return Cost::symbol(format("macs({})", node.name()));
  }
  for (const Graph* graph : node.subgraphs()) {
    const auto cost = count(*graph).value();
    if (!cost || *cost != 0) return Cost::symbol(format("macs({})", node.name()));
  }
  return Cost();
}

Cost MacCounter::count(const Graph& graph) const {
  Cost cost;
  for (const Node& node : graph.nodes()) cost.add(count(node));
  return cost;
}

std::int64_t count_parameters(const Node& node) {
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < node.input_count(); ++i) {
    const Value* value = node.input(i);
    if (value != nullptr && !value->constant().is_empty())
      count += value->constant().element_count();
  }
  return count;
}

}  // namespace ortool
