// Activations and normalizations in the arithmetic that defines them.
// https://onnx.ai/onnx/operators/
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "libcore/graph/graph.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/nn/activation.hpp"
#include "libcore/ops/nn/normalization/embed_layer_normalization.hpp"
#include "libcore/ops/nn/normalization/group_normalization.hpp"
#include "libcore/ops/nn/normalization/layer_normalization.hpp"
#include "libcore/ops/nn/normalization/skip_layer_normalization.hpp"
#include "libcore/ops/own_domain.hpp"
#include "libcore/optimize/contrib/common_nodes.hpp"
#include "libcore/optimize/rewrite/value_facts.hpp"
#include "libcore/optimize/target/target_tables.hpp"
#include "libcore/tensor/shape.hpp"

namespace ortool {
namespace {

using Results = Decomposition::Results;
using Integers = std::vector<std::int64_t>;

Results gelu(Decomposition& out) {
  const auto op = read_op<Gelu>(out.node());
  Value& x = *out.input(0);
  Value* inner = nullptr;
  if (op.is_approximate) {
    Value& cube = out.add("Mul", {&x, &out.add("Mul", {&x, &x})});
    Value& sum = out.add("Add", {&x, &out.add("Mul", {&cube, &out.number(0.044715)})});
    inner = &out.add("Tanh", {&out.add("Mul", {&sum, &out.number(0.7978845608028654)})});
  } else {
    inner = &out.add("Erf", {&out.add("Div", {&x, &out.number(1.4142135623730951)})});
  }
  Value& factor = out.add("Add", {inner, &out.number(1)});
  return {&out.add("Mul", {&out.add("Mul", {&x, &factor}), &out.number(0.5)})};
}

Results swish(Decomposition& out) {
  const auto op = read_op<Swish>(out.node());
  Value* x = out.input(0);
  Value* scaled = x;
  if (op.alpha != 1) scaled = &out.add("Mul", {x, &out.number(static_cast<double>(op.alpha))});
  return {&out.add("Mul", {x, &out.add("Sigmoid", {scaled})})};
}

Results hard_swish(Decomposition& out) {
  Value* x = out.input(0);
  Value& gate =
      out.add("HardSigmoid", {x}, plain_attributes({{"alpha", 1.0F / 6}, {"beta", 0.5F}}));
  return {&out.add("Mul", {x, &gate})};
}

Results mish(Decomposition& out) {
  Value* x = out.input(0);
  return {&out.add("Mul", {x, &out.add("Tanh", {&out.add("Softplus", {x})})})};
}

/// The axes from `first` on; empty if the rank has to be known and is not.
Integers last_axes(const Decomposition& out, std::int64_t first) {
  const std::int64_t rank = out.rank(0);
  if (first >= 0 && rank < 0) return {};
  Integers axes(static_cast<std::size_t>(first < 0 ? -first : rank - first));
  std::iota(axes.begin(), axes.end(), first < 0 ? first : first - rank);
  return axes;
}

/// The first input in float32, in which statistics are computed.
Value& in_float32(Decomposition& out) {
  Value& x = *out.input(0);
  const DataType type = out.element(0);
  const bool is_wide = type == DataType::float32 || type == DataType::float64;
  return is_wide ? x : cast_to(out, x, DataType::float32);
}

Value& in_own_type(Decomposition& out, Value& x) {
  const DataType type = out.element(0);
  const bool is_wide = type == DataType::float32 || type == DataType::float64;
  return is_wide ? x : cast_to(out, x, type);
}

/// x / √(mean of x² + epsilon) over the axes; x is in float32 or float64.
Value& divided_by_deviation(Decomposition& out, Value& x, const Integers& axes, float epsilon) {
  Value& variance = out.add_with_axes("ReduceMean", out.add("Mul", {&x, &x}), axes);
  const DataType type = out.element(0) == DataType::float64 ? DataType::float64 : DataType::float32;
  Value& shift = scalar(out, type, static_cast<double>(epsilon));
  Value& shifted = out.add("Add", {&variance, &shift});
  return out.add("Div", {&x, &out.add("Sqrt", {&shifted})});
}

Results layer_normalization(Decomposition& out) {
  const auto op = read_op<LayerNormalization>(out.node());
  const Integers axes = last_axes(out, op.axis);
  if (axes.empty() || out.element(0) == DataType::undefined) return {};
  Value& x = in_float32(out);
  Value& centered = out.add("Sub", {&x, &out.add_with_axes("ReduceMean", x, axes)});
  Value& normal = in_own_type(out, divided_by_deviation(out, centered, axes, op.epsilon));
  Value* scaled = &out.add("Mul", {&normal, out.input(1)});
  if (out.input(2) != nullptr) scaled = &out.add("Add", {scaled, out.input(2)});
  return {scaled};
}

Results rms_normalization(Decomposition& out) {
  const auto op = read_op<RMSNormalization>(out.node());
  const Integers axes = last_axes(out, op.axis);
  if (axes.empty() || out.element(0) == DataType::undefined) return {};
  Value& x = in_float32(out);
  Value& normal = in_own_type(out, divided_by_deviation(out, x, axes, op.epsilon));
  return {&out.add("Mul", {&normal, out.input(1)})};
}

/// x, N x C x D1 …, as N x groups x the rest: InstanceNormalization then normalizes groups.
Results group_normalization(Decomposition& out) {
  const auto op = read_op<GroupNormalization>(out.node());
  const std::int64_t rank = out.rank(0);
  if (rank < 2 || op.scales_groups || out.element(0) == DataType::undefined) return {};
  Value* x = out.input(0);
  Value& grouped = out.add("Reshape", {x, &out.integers(Integers{0, op.groups, -1})});
  const Shape per_group({op.groups});
  Value& ones = out.constant(filled(out.element(0), per_group, 1));
  Value& zeros = out.constant(filled(out.element(0), per_group, 0));
  Value& normal = out.add("InstanceNormalization", {&grouped, &ones, &zeros},
                          plain_attributes({{"epsilon", op.epsilon}}));
  Value& again = out.add("Reshape", {&normal, &out.add("Shape", {x})});
  Integers spatial(static_cast<std::size_t>(rank - 2));
  std::iota(spatial.begin(), spatial.end(), std::int64_t{1});
  const auto per_channel = [&](std::int64_t index) -> Value* {
    if (spatial.empty()) return out.input(index);
    return &out.add_with_axes("Unsqueeze", *out.input(index), spatial);
  };
  Value& scaled = out.add("Mul", {&again, per_channel(1)});
  return {&out.add("Add", {&scaled, per_channel(2)})};
}

Results skip_layer_normalization(Decomposition& out) {
  Value& sum = out.add("Add", {out.input(0), out.input(1)});
  Value& normal =
      out.add_own("LayerNormalization", {&sum, out.input(2), out.input(3)}, out.attributes_but({}));
  return {&normal, &sum};
}

Results embed_layer_normalization(Decomposition& out) {
  const auto op = read_op<EmbedLayerNormalization>(out.node());
  constexpr std::int64_t first = EmbedLayerNormalization::first_table;
  Value* sum = nullptr;
  for (std::int64_t i = 0; i < EmbedLayerNormalization::max_terms; ++i) {
    Value* term = out.input(first + 2 * i);
    if (term == nullptr) continue;
    Value* indices = out.input(first + 2 * i + 1);
    if (indices != nullptr) term = &out.add("Gather", {term, indices});
    sum = sum == nullptr ? term : &out.add("Add", {sum, term});
  }
  Value& normal = out.add_own("LayerNormalization", {sum, out.input(0), out.input(1)},
                              plain_attributes({{"epsilon", op.epsilon}}));
  return {&normal, sum};
}

}  // namespace

std::span<const DecompositionRow> decomposed_functions() {
  static constexpr DecompositionRow rows[] = {
      {"Gelu", gelu, 1, own_domain},
      {"GroupNormalization", group_normalization, 1, own_domain},
      {"HardSwish", hard_swish, 1, own_domain},
      {"LayerNormalization", layer_normalization, 1, own_domain},
      {"Mish", mish, 1, own_domain},
      {"RMSNormalization", rms_normalization, 1, own_domain},
      {"Swish", swish, 1, own_domain},
  };
  return rows;
}

std::span<const DecompositionRow> unfused_normalizations() {
  static constexpr DecompositionRow rows[] = {
      {"EmbedLayerNormalization", embed_layer_normalization, 2, own_domain},
      {"SkipLayerNormalization", skip_layer_normalization, 2, own_domain},
  };
  return rows;
}

}  // namespace ortool
