// Merging of constant factors, with each other and into the weights of a matrix product.
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "libcore/graph/graph.hpp"
#include "libcore/ops/version_facts.hpp"
#include "libcore/optimize/rewrite/value_facts.hpp"
#include "libcore/optimize/rules/rules.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

constexpr std::int64_t max_scaled_elements = std::int64_t{1} << 26;

bool is_common_float(const Value& constant) {
  const DataType type = constant.constant().type();
  return type == DataType::float32 || type == DataType::float16 || type == DataType::float64;
}

/// Each element times its factor, or its reciprocal times the factor; nothing when a result is not
/// a normal number of the type, unless the element was 0. There are as many factors as the last
/// axis has elements, or one.
std::optional<Tensor> scaled(const Tensor& tensor, std::span<const double> factors,
                             bool is_inverted) {
  if (tensor.element_count() > max_scaled_elements) return std::nullopt;
  Tensor result(tensor.type(), tensor.shape());
  for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
    const double element = element_as_double(tensor, i);
    const double factor = factors[static_cast<std::size_t>(i) % factors.size()];
    set_element(result, i, is_inverted ? factor / element : element * factor);
    const double written = element_as_double(result, i);
    const double least = tensor.type() == DataType::float16   ? 6.2e-5
                         : tensor.type() == DataType::float32 ? 1.2e-38
                                                              : 2.3e-308;
    if (!std::isfinite(written) || (element != 0 && std::abs(written) < least)) return std::nullopt;
  }
  return result;
}

/// The combined factor of both steps, one of which must be a scalar.
std::optional<Tensor> merged_factors(const Match& match) {
  const Value& first = match["first"];
  const Value& second = match["second"];
  const bool first_divides = match.node("between").op_type() == "Div";
  const bool second_divides = match.root().op_type() == "Div";
  if (!is_common_float(first) || first.constant().type() != second.constant().type())
    return std::nullopt;
  const bool second_is_large = first.constant().element_count() == 1;
  const Value& large = second_is_large ? second : first;
  const Value& small = second_is_large ? first : second;
  if (small.constant().element_count() != 1 ||
      small.constant().shape().rank() >
          std::max(large.constant().shape().rank(), rank_of(match["x"])))
    return std::nullopt;
  const bool small_divides = second_is_large ? first_divides : second_divides;
  const bool large_divides = second_is_large ? second_divides : first_divides;
  const double number = element_as_double(small.constant(), 0);
  const double factor = small_divides ? 1 / number : number;
  return scaled(large.constant(), {&factor, 1}, large_divides);
}

/// Whether there is one factor for all columns of the weights, or one per column, along the last
/// axis.
bool are_column_factors(const Tensor& factors, const Tensor& weights) {
  const Shape& shape = factors.shape();
  if (factors.element_count() == 1) return true;
  return weights.shape().rank() == 2 && shape.rank() > 0 &&
         shape[shape.rank() - 1] == factors.element_count() &&
         factors.element_count() == weights.shape()[1];
}

/// For fold_product_scale.
std::optional<Tensor> scaled_weights(const Match& match) {
  const Value& weights = match["weights"];
  const Tensor& factors = match["factors"].constant();
  if (!is_common_float(weights) || weights.constant().type() != factors.type() ||
      !are_column_factors(factors, weights.constant()))
    return std::nullopt;
  std::vector<double> numbers(static_cast<std::size_t>(factors.element_count()));
  read_doubles(factors, 0, numbers);
  if (match.node("scaling").op_type() == "Div") {
    for (double& number : numbers) number = 1 / number;
  }
  return scaled(weights.constant(), numbers, false);
}

Pattern scaling(const Pattern& x, const Pattern& factor, const std::string& name) {
  return any_of({op("Mul", {x, factor}).as(name), op("Div", {x, factor}).as(name)});
}

}  // namespace

Rule merge_factors() {
  const Pattern between = scaling(any("x"), constant("first"), "between");
  return {
      .name = "merge-factors",
      .summary = "x times a constant times another -> x times one constant, one of them a number",
      .pattern = scaling(between, constant("second"), "end"),
      .where =
          [](const Match& match) {
            if (match.graph().opset("") < opset_of_broadcasting())
              return no("before opset 7 an attribute controls broadcasting");
            if (!merged_factors(match))
              return no("neither is a single number, or their product is not a normal number");
            return yes();
          },
      .replace = [](Replacement& replacement) -> Value& {
        Tensor factors = *merged_factors(replacement.match());
        return replacement.add("Mul",
                               {&replacement["x"], &replacement.constant(std::move(factors))});
      }};
}

/// Not for a scale before the product: there it is part of an activation that other patterns match.
Rule fold_product_scale() {
  const Pattern product = op("MatMul", {any("x"), constant("weights")}).as("product");
  return {.name = "fold-product-scale",
          .summary = "MatMul(x, weights) times a number, or one per column -> MatMul(x, weights)",
          .pattern = scaling(product, constant("factors"), "scaling"),
          .where =
              [](const Match& match) {
                if (match.graph().opset("") < opset_of_broadcasting())
                  return no("before opset 7 an attribute controls broadcasting");
                if (match["weights"].uses().size() > 1) return no("the weights have other readers");
                if (!have_equal_types(match["product"], match.result()))
                  return no("the shape is not known to stay the same");
                return scaled_weights(match) ? yes()
                                             : no("it is not one number per column, or the scaled "
                                                  "weights are not normal numbers");
              },
          .replace = [](Replacement& replacement) -> Value& {
            Tensor weights = *scaled_weights(replacement.match());
            return replacement.add("MatMul",
                                   {&replacement["x"], &replacement.constant(std::move(weights))});
          }};
}

}  // namespace ortool
