// Merging of per-channel scales and shifts: with each other, or into a preceding matrix product.
#include <optional>

#include "libcore/graph/graph.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/math/gemm.hpp"
#include "libcore/ops/version_facts.hpp"
#include "libcore/optimize/rewrite/value_facts.hpp"
#include "libcore/optimize/rules/channel_affine.hpp"
#include "libcore/optimize/rules/rules.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

Pattern batch_norm(const Pattern& x) {
  return op("BatchNormalization", {x, any(), any(), any(), any()});
}

/// `x` plus, minus, times or divided by a constant.
Pattern with_operand(const Pattern& x) {
  return with_channel_operand(x, constant("operand"));
}

/// A BatchNormalization like `norm` that applies the map to x, with mean 0 and variance 1.
Value& add_norm(Replacement& replacement, const Node& norm, Value& x, const ChannelAffineMap& map) {
  const DataType type = norm.input(1)->constant().type();
  const auto vector = [&](const std::vector<double>& numbers) {
    return &replacement.constant(vector_of(type, numbers));
  };
  const std::vector<double> zeros(map.scale.size(), 0);
  const std::vector<double> ones(map.scale.size(), 1);
  return replacement.add_like(
      norm, {&x, vector(map.scale), vector(map.shift), vector(zeros), vector(ones)},
      {{"epsilon", 0.0F}});
}

/// The composition of a chain of `norm` and an operation with "operand", in either order.
std::optional<ChannelAffineMap> map_of_pair(const Match& match, bool is_norm_first) {
  const Node& norm = is_norm_first ? match.node("norm") : match.root();
  const Node& other = is_norm_first ? match.root() : match.node("other");
  const std::optional<ChannelAffineMap> map = affine_of_norm(norm);
  const std::optional<ChannelAffineMap> operand =
      affine_of_operand(other, match["operand"], match[is_norm_first ? "norm" : "x"]);
  if (!map || !operand || map->scale.size() != operand->scale.size()) return std::nullopt;
  ChannelAffineMap both = is_norm_first ? map->then(*operand) : operand->then(*map);
  if (!both.is_finite()) return std::nullopt;
  return both;
}

bool has_matrix_columns(const Node& gemm, std::size_t columns) {
  const Shape& shape = gemm.input(1)->constant().shape();
  const bool is_transposed = gemm.op_type() == "Gemm" && read_op<Gemm>(gemm).transpose_b;
  return shape.rank() == 2 && shape[is_transposed ? 0 : 1] == static_cast<std::int64_t>(columns);
}

/// The bias of the product per column; zeros without one.
std::optional<std::vector<double>> bias_of(const Match& match, std::size_t columns) {
  const Value* bias = match.find("bias");
  if (bias == nullptr) return std::vector<double>(columns, 0);
  std::optional<std::vector<double>> numbers =
      channel_numbers(*bias, 2, static_cast<std::int64_t>(columns));
  if (!numbers) return std::nullopt;
  const double beta = static_cast<double>(read_op<Gemm>(match.node("product")).beta);
  for (double& number : *numbers) number *= beta;
  return numbers;
}

/// Each column of the weights times its scale.
Tensor scaled_columns(const Tensor& weights, const std::vector<double>& scale, bool is_transposed) {
  Tensor result(weights.type(), weights.shape());
  const std::int64_t width = weights.shape()[1];
  for (std::int64_t i = 0; i < weights.element_count(); ++i) {
    const auto column = static_cast<std::size_t>(is_transposed ? i / width : i % width);
    set_element(result, i, element_as_double(weights, i) * scale[column]);
  }
  return result;
}

}  // namespace

/// Applies the second map to the first.
Rule merge_batch_norms() {
  return {.name = "merge-batch-norms",
          .summary = "BatchNormalization(BatchNormalization(x)) -> BatchNormalization(x)",
          .pattern = batch_norm(batch_norm(any("x")).as("first")),
          .where =
              [](const Match& match) {
                const auto inner = affine_of_norm(match.node("first"));
                const auto outer = affine_of_norm(match.root());
                if (!inner || !outer || inner->scale.size() != outer->scale.size())
                  return no("one of them is not one constant number per channel");
                return yes();
              },
          .replace = [](Replacement& replacement) -> Value& {
            const Match& match = replacement.match();
            const ChannelAffineMap both =
                affine_of_norm(match.node("first"))->then(*affine_of_norm(match.root()));
            return add_norm(replacement, match.root(), match["x"], both);
          }};
}

Rule merge_batch_norm_operand() {
  return {.name = "merge-batch-norm-operand",
          .summary =
              "BatchNormalization(x) times or plus a constant per channel -> BatchNormalization(x)",
          .pattern = with_operand(batch_norm(any("x")).as("norm")),
          .where =
              [](const Match& match) {
                if (!have_equal_types(match["norm"], match.result()))
                  return no("the shape is not known to stay the same");
                return map_of_pair(match, true)
                           ? yes()
                           : no("one of them is not one constant number per channel");
              },
          .replace = [](Replacement& replacement) -> Value& {
            const Match& match = replacement.match();
            return add_norm(replacement, match.node("norm"), match["x"], *map_of_pair(match, true));
          }};
}

Rule merge_operand_batch_norm() {
  return {
      .name = "merge-operand-batch-norm",
      .summary =
          "BatchNormalization of x times or plus a constant per channel -> BatchNormalization(x)",
      .pattern = batch_norm(with_operand(any("x")).as("other")),
      .where =
          [](const Match& match) {
            if (!have_equal_types(match["x"], match["other"]))
              return no("the shape is not known to stay the same");
            return map_of_pair(match, false)
                       ? yes()
                       : no("one of them is not one constant number per channel");
          },
      .replace = [](Replacement& replacement) -> Value& {
        const Match& match = replacement.match();
        return add_norm(replacement, match.root(), match["x"], *map_of_pair(match, false));
      }};
}

Rule fold_batch_norm_product() {
  const Pattern gemm =
      op("Gemm", {any("a"), constant("weights"), maybe(any("bias"))}).as("product");
  const Pattern product = op("MatMul", {any("a"), constant("weights")}).as("product");
  return {
      .name = "fold-batch-norm-product",
      .summary =
          "BatchNormalization(Gemm(a, weights)), or of MatMul of matrices -> Gemm(a, "
          "weights, bias)",
      .pattern = batch_norm(any_of({gemm, product})),
      .makes = {"Gemm"},
      .where =
          [](const Match& match) {
            const std::optional<ChannelAffineMap> map = affine_of_norm(match.root());
            if (!map || !map->is_finite()) return no("it is not one constant number per channel");
            if (match.graph().opset("") < opset_of_broadcasting())
              return no("before opset 7 an attribute controls broadcasting");
            const Tensor& weights = match["weights"].constant();
            if (rank_of(match["a"]) != 2 || !is_channel_type(weights.type()) ||
                !has_matrix_columns(match.node("product"), map->scale.size()))
              return no("the operands are not known to be matrices with as many columns");
            if (match["weights"].uses().size() > 1) return no("the weights have other readers");
            return bias_of(match, map->scale.size())
                       ? yes()
                       : no("the bias is not one constant number per column");
          },
      .replace = [](Replacement& replacement) -> Value& {
        const Match& match = replacement.match();
        const ChannelAffineMap map = *affine_of_norm(match.root());
        const Tensor& weights = match["weights"].constant();
        std::vector<double> bias = *bias_of(match, map.scale.size());
        for (std::size_t c = 0; c < bias.size(); ++c)
          bias[c] = bias[c] * map.scale[c] + map.shift[c];
        const bool is_gemm = match.node("product").op_type() == "Gemm";
        const Gemm old = is_gemm ? read_op<Gemm>(match.node("product")) : Gemm();
        NewAttributes attributes;
        if (old.alpha != 1) attributes.push_back({"alpha", old.alpha});
        if (old.transpose_a) attributes.push_back({"transA", std::int64_t{1}});
        if (old.transpose_b) attributes.push_back({"transB", std::int64_t{1}});
        Value& columns = replacement.constant(scaled_columns(weights, map.scale, old.transpose_b));
        return replacement.add(
            "Gemm", {&match["a"], &columns, &replacement.constant(vector_of(weights.type(), bias))},
            std::move(attributes));
      }};
}

}  // namespace ortool
