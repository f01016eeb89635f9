// Layer and RMS normalization fusion from arithmetic.
#include <algorithm>
#include <array>

#include "libcore/base/format.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/nn/normalization/layer_normalization.hpp"
#include "libcore/ops/reduction/reduce.hpp"
#include "libcore/optimize/rewrite/value_facts.hpp"
#include "libcore/optimize/rules/rules.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

Pattern mean_of(Pattern x, std::string name) {
  return op("ReduceMean", {std::move(x), maybe(any())}).as(std::move(name));
}

/// The maximum size of a generated scale; files may declare any size.
constexpr std::int64_t max_row_elements = std::int64_t{1} << 20;

/// The number of trailing axes that a ReduceMean reduces, if it reduces no others and keeps them;
/// otherwise 0.
std::int64_t trailing_axes(const Node& mean, std::int64_t rank) {
  const auto op = read_op<ReduceMean>(mean);
  if (!op.keep_dimensions || rank <= 0) return 0;
  if (op.axes.is_given() && !op.axes.is_known()) return 0;
  const std::vector<std::int64_t> axes =
      op.reduced_axes(rank, op.axes.is_known() ? *op.axes.value : std::vector<std::int64_t>());
  const auto count = static_cast<std::int64_t>(axes.size());
  return count > 0 && axes.front() == rank - count ? count : 0;
}

/// The sizes of the last `count` axes, if all are known and not too large.
std::optional<Shape> trailing_shape(const Value& x, std::int64_t count) {
  const Dimensions* dimensions = dimensions_of(x);
  if (dimensions == nullptr) return std::nullopt;
  std::vector<std::int64_t> sizes;
  std::int64_t elements = 1;
  for (std::size_t i = dimensions->size() - static_cast<std::size_t>(count); i < dimensions->size();
       ++i) {
    if (!(*dimensions)[i].is_known()) return std::nullopt;
    sizes.push_back((*dimensions)[i].number());
    if (sizes.back() > max_row_elements) return std::nullopt;
    elements *= sizes.back();
    if (elements > max_row_elements) return std::nullopt;
  }
  return Shape(sizes);
}

/// All means of a normalization must be over the same trailing axes.
Verdict has_trailing_means(const Match& match, std::initializer_list<std::string_view> means) {
  const Value& x = match["x"];
  if (!is_float_tensor(x)) return no("its type is not a float");
  const std::int64_t rank = rank_of(x);
  if (rank < 0) return no(format("the rank of '{}' is unknown", x.name()));
  std::int64_t count = -1;
  for (const std::string_view mean : means) {
    const std::int64_t here = trailing_axes(match.node(mean), rank);
    if (here == 0) return no("a mean is not over the last axes, or drops them");
    if (count >= 0 && here != count) return no("the means are over different axes");
    count = here;
  }
  if (!trailing_shape(x, count))
    return no("the sizes of the normalized axes are unknown or too large");
  return yes();
}

/// A normalization of x without scale, written with a scale of ones.
Value& add_norm(Replacement& replacement, std::string_view op_type, std::string_view mean) {
  const Match& match = replacement.match();
  Value& x = match["x"];
  const std::int64_t count = trailing_axes(match.node(mean), rank_of(x));
  Value& ones = replacement.constant(filled(element_of(x), *trailing_shape(x, count), 1));
  return replacement.add(
      op_type, {&x, &ones},
      NewAttributes{{"axis", -count}, {"epsilon", static_cast<float>(match.number("epsilon"))}});
}

/// A scale or bias, brought to the shape of the normalized axes.
struct RowOperand {
  Value* value = nullptr;
  std::optional<Tensor> constant;  ///< instead, when it must be reshaped or repeated
};

std::optional<RowOperand> row_operand(Value& given, const Value& x, std::int64_t axis) {
  const Dimensions* dimensions = dimensions_of(given);
  if (dimensions == nullptr || element_of(given) != element_of(x)) return std::nullopt;
  const std::int64_t rank = rank_of(x);
  const std::int64_t count = axis < 0 ? -axis : rank - axis;
  const std::optional<Shape> row = trailing_shape(x, count);
  if (!row) return std::nullopt;
  const auto given_rank = static_cast<std::int64_t>(dimensions->size());
  const bool fits = given_rank >= count && given_rank <= rank;
  bool is_row = fits;
  for (std::int64_t i = 0; is_row && i < given_rank; ++i) {
    const std::int64_t behind = given_rank - i;
    const Dimension wanted = behind > count ? Dimension(1) : Dimension((*row)[count - behind]);
    is_row = are_equal((*dimensions)[static_cast<std::size_t>(i)], wanted);
  }
  if (is_row && given_rank == count) return RowOperand{&given, std::nullopt};
  if (!given.is_constant()) return std::nullopt;
  const Tensor& tensor = given.constant();
  if (is_row) return RowOperand{nullptr, tensor.reshaped(*row)};
  if (tensor.element_count() != 1 || given_rank > rank) return std::nullopt;
  return RowOperand{nullptr, filled(tensor.type(), *row, element_as_double(tensor, 0))};
}

struct NormParams {
  std::int64_t axis;
  float epsilon;
};

NormParams form_of(const Node& norm) {
  if (norm.op_type() == "RMSNormalization") {
    const auto op = read_op<RMSNormalization>(norm);
    return {op.axis, op.epsilon};
  }
  const auto op = read_op<LayerNormalization>(norm);
  return {op.axis, op.epsilon};
}

Verdict has_row_operand(const Match& match, std::string_view name) {
  const Node& norm = match.node("norm");
  if (row_operand(match[name], match["x"], form_of(norm).axis)) return yes();
  return no(format("'{}' does not have the shape of the normalized axes", match[name].name()));
}

Value& operand_value(Replacement& replacement, std::string_view name, std::int64_t axis) {
  RowOperand operand = *row_operand(replacement[name], replacement["x"], axis);
  return operand.constant ? replacement.constant(std::move(*operand.constant)) : *operand.value;
}

NewAttributes attributes_of(const NormParams& params) {
  return {{"axis", params.axis}, {"epsilon", params.epsilon}};
}

}  // namespace

/// (x - E[x]) / √(E[(x - E[x])²] + ε), https://arxiv.org/abs/1607.06450.
Rule fuse_layer_norm() {
  const Pattern x = any("x");
  const Pattern mean = mean_of(x, "mean");
  const Pattern variance = mean_of(square((x - mean).as("difference")), "variance");
  return {.name = "fuse-layer-norm",
          .summary = "(x - mean(x)) / sqrt(mean((x - mean(x))^2) + e) -> LayerNormalization(x)",
          .pattern = (x - mean) / square_root(op("Add", {variance, scalar("epsilon")})),
          .makes = {"LayerNormalization"},
          .where =
              [](const Match& match) {
                return has_trailing_means(match, {"mean", "variance"});
              },
          .replace = [](Replacement& replacement) -> Value& {
            return add_norm(replacement, "LayerNormalization", "mean");
          }};
}

/// The same as written by TensorFlow: x a + (b - E[x] a) with a = scale / √(variance + ε).
Rule fuse_layer_norm_affine() {
  const Pattern x = any("x");
  const Pattern mean = mean_of(x, "mean");
  const Pattern variance = mean_of(square((x - mean).as("difference")), "variance");
  const Pattern root = square_root(op("Add", {variance, scalar("epsilon")}));
  const Pattern factor =
      any_of({op("Mul", {op("Reciprocal", {root}), any("scale")}), op("Div", {any("scale"), root})})
          .as("factor");
  return {
      .name = "fuse-layer-norm-affine",
      .summary =
          "x * a + (b - mean(x) * a), a = scale / sqrt(var(x) + e) -> "
          "LayerNormalization(x, scale, b)",
      .pattern =
          op("Add", {op("Mul", {x, factor}), op("Sub", {any("bias"), op("Mul", {mean, factor})})}),
      .makes = {"LayerNormalization"},
      .where =
          [](const Match& match) {
            const Verdict verdict = has_trailing_means(match, {"mean", "variance"});
            if (!verdict.is_yes) return verdict;
            const std::int64_t axis = -trailing_axes(match.node("mean"), rank_of(match["x"]));
            for (const std::string_view name : {"scale", "bias"}) {
              if (!row_operand(match[name], match["x"], axis))
                return no(format("'{}' does not have the shape of the normalized axes",
                                 match[name].name()));
            }
            return yes();
          },
      .replace = [](Replacement& replacement) -> Value& {
        const Match& match = replacement.match();
        const std::int64_t axis = -trailing_axes(match.node("mean"), rank_of(match["x"]));
        Value& scale = operand_value(replacement, "scale", axis);
        Value& bias = operand_value(replacement, "bias", axis);
        return replacement.add("LayerNormalization", {&replacement["x"], &scale, &bias},
                               attributes_of({axis, static_cast<float>(match.number("epsilon"))}));
      }};
}

/// x / √(E[x²] + ε), https://arxiv.org/abs/1910.07467.
Rule fuse_rms_norm() {
  const Pattern x = any("x");
  const Pattern squares = mean_of(square(x), "mean");
  return {.name = "fuse-rms-norm",
          .summary = "x / sqrt(mean(x^2) + e) -> RMSNormalization(x)",
          .pattern = x / square_root(op("Add", {squares, scalar("epsilon")})),
          .makes = {"RMSNormalization"},
          .where = [](const Match& match) { return has_trailing_means(match, {"mean"}); },
          .replace = [](Replacement& replacement) -> Value& {
            return add_norm(replacement, "RMSNormalization", "mean");
          }};
}

Rule fuse_norm_scale() {
  const Pattern x = any("x");
  const Pattern ones =
      constant("ones").where_value([](const Value& value) { return is_filled_with(value, 1); });
  const Pattern norm =
      any_of({op("LayerNormalization", {x, ones}), op("RMSNormalization", {x, ones})}).as("norm");
  return {.name = "fuse-norm-scale",
          .summary = "norm(x) * scale -> norm(x, scale)",
          .pattern = op("Mul", {norm, any("scale")}),
          .where = [](const Match& match) { return has_row_operand(match, "scale"); },
          .replace = [](Replacement& replacement) -> Value& {
            const Node& node = replacement.match().node("norm");
            const NormParams params = form_of(node);
            return replacement.add(
                node.op_type(),
                {&replacement["x"], &operand_value(replacement, "scale", params.axis)},
                attributes_of(params));
          }};
}

Rule fuse_norm_bias() {
  const Pattern norm = op("LayerNormalization", {any("x"), any("scale")}).as("norm");
  return {.name = "fuse-norm-bias",
          .summary = "LayerNormalization(x, scale) + bias -> LayerNormalization(x, scale, bias)",
          .pattern = op("Add", {norm, any("bias")}),
          .where =
              [](const Match& match) {
                // An addend that is not constant is usually a residual.
                if (!match["bias"].is_constant()) return no("what is added is not a constant");
                return has_row_operand(match, "bias");
              },
          .replace = [](Replacement& replacement) -> Value& {
            const NormParams params = form_of(replacement.match().node("norm"));
            return replacement.add("LayerNormalization",
                                   {&replacement["x"], &replacement["scale"],
                                    &operand_value(replacement, "bias", params.axis)},
                                   attributes_of(params));
          }};
}

Rule fuse_skip_layer_norm() {
  constexpr std::array<std::string_view, 3> products = {"Conv", "Gemm", "MatMul"};
  const Pattern sum = op("Add", {any("a"), any("b")}).as("sum");
  return {.name = "fuse-skip-layer-norm",
          .summary = "LayerNormalization(a + b) -> SkipLayerNormalization(a, b), with the sum",
          .level = OptimizeLevel::all,
          .pattern = op("LayerNormalization", {sum, any("scale"), maybe(any("bias"))}).as("norm"),
          .makes = {"SkipLayerNormalization"},
          .also_replaces = {"sum"},
          .where =
              [products](const Match& match) {
                if (!have_equal_types(match["a"], match["b"]))
                  return no("the operands are not known to have the same shape");
                if (element_of(match["a"]) != DataType::float32) return no("they are not float32");
                for (const std::string_view name : {"a", "b"}) {
                  // The product's bias may be added in between.
                  const Node* producer = match[name].producer();
                  if (producer != nullptr && producer->op_type() == "Add") {
                    const bool is_first =
                        producer->input(0) != nullptr && producer->input(0)->is_constant();
                    const Value* inner = producer->input(is_first ? 1 : 0);
                    producer = inner != nullptr ? inner->producer() : nullptr;
                  }
                  if (producer != nullptr && std::find(products.begin(), products.end(),
                                                       producer->op_type()) != products.end())
                    return no(format("'{}' adds the other one in its epilogue", producer->name()));
                }
                return yes();
              },
          .replace = [](Replacement& replacement) -> Value& {
            const Match& match = replacement.match();
            const std::vector<Value*> made = replacement.add_many(
                "SkipLayerNormalization",
                {&match["a"], &match["b"], &match["scale"], match.find("bias")},
                attributes_of(form_of(match.root())), 2);
            replacement.also_replace("sum", *made[1]);
            return *made[0];
          }};
}

}  // namespace ortool
