// Counting from shapes.
#include "apps/ortool/inspect/cost.hpp"

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

bool has_cost(const Graph& graph) {
  for (const Node& node : graph.nodes()) {
    const auto cost = count_macs(node).value();
    if (!cost || *cost != 0) return true;
  }
  return false;
}

}  // namespace

Cost Cost::number(std::int64_t value) {
  Cost cost;
  if (value != 0) cost.terms_[""] = static_cast<double>(value);
  return cost;
}

Cost Cost::symbol(const std::string& name) {
  Cost cost;
  cost.terms_[name] = 1;
  return cost;
}

void Cost::add(const Cost& other) {
  for (const auto& [symbols, coefficient] : other.terms_) terms_[symbols] += coefficient;
}

Cost Cost::times(const Cost& other) const {
  Cost result;
  for (const auto& [symbols, coefficient] : terms_) {
    for (const auto& [other_symbols, other_coefficient] : other.terms_) {
      const std::string joint =
          symbols + (symbols.empty() || other_symbols.empty() ? "" : "*") + other_symbols;
      result.terms_[joint] += coefficient * other_coefficient;
    }
  }
  return result;
}

Cost Cost::times(const Dimension& dimension, const std::string& unknown_name) const {
  if (dimension.is_known()) return times(number(dimension.number()));
  return times(symbol(dimension.is_symbol() ? dimension.symbol() : unknown_name));
}

std::optional<std::int64_t> Cost::value() const {
  double sum = 0;
  for (const auto& [symbols, coefficient] : terms_) {
    if (!symbols.empty()) return std::nullopt;
    sum += coefficient;
  }
  if (sum >= 0x1p63) return std::nullopt;
  return static_cast<std::int64_t>(sum);
}

std::string Cost::formula() const {
  std::string text;
  for (const auto& [symbols, coefficient] : terms_) {
    if (!text.empty()) text += " + ";
    const std::string factor = coefficient < 0x1p63
                                   ? std::to_string(static_cast<std::int64_t>(coefficient))
                                   : format("{}", coefficient);
    text += symbols.empty() ? factor : coefficient == 1 ? symbols : factor + "*" + symbols;
  }
  return text.empty() ? "0" : text;
}

Cost count_macs(const Node& node) {
  if (node.domain().empty()) {
    for (const ProductOperator& product : product_operators) {
      if (product.op_type == node.op_type()) return count_product(node, product);
    }
  }
  if (find_op(node.domain(), node.op_type()) == nullptr) {
    return Cost::symbol(format("macs({})", node.name()));
  }
  for (const Graph* graph : node.subgraphs()) {
    if (has_cost(*graph)) return Cost::symbol(format("macs({})", node.name()));
  }
  return Cost();
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
