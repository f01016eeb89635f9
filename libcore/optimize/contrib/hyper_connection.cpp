// Decompositions of ONNX Runtime's operators for hyper-connections, computed in float32.
#include "libcore/ops/contrib/attention/hyper_connection.hpp"

#include <cstdint>
#include <utility>
#include <vector>

#include "libcore/graph/value_type.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/version_facts.hpp"
#include "libcore/optimize/contrib/common_nodes.hpp"
#include "libcore/optimize/contrib/decomposition.hpp"

namespace ortool {
namespace {

using Results = Decomposition::Results;

Value& converted_to(Decomposition& out, Value& x, DataType from, DataType to) {
  return from == to ? x : cast_to(out, x, to);
}

/// An input in float32.
Value& wide(Decomposition& out, std::int64_t index) {
  return converted_to(out, *out.input(index), out.element(index), DataType::float32);
}

/// Keeps `count` axes of a shape and splits or joins those behind.
Value& with_tail(Decomposition& out, Value& x, std::int64_t count, std::vector<std::int64_t> tail) {
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(count), 0);
  sizes.insert(sizes.end(), tail.begin(), tail.end());
  return out.add("Reshape", {&x, &out.integers(sizes)});
}

Value& with_shape_of(Decomposition& out, Value& x, std::int64_t input) {
  return out.add("Reshape", {&x, &out.add("Shape", {out.input(input)})});
}

/// The last dimension of a shape, as a vector.
Value& last_size(Decomposition& out, Value& x) {
  const std::int64_t first[] = {-1};
  const std::int64_t end[] = {std::int64_t{1} << 40};
  const std::int64_t axis[] = {0};
  return out.add("Slice", {&out.add("Shape", {&x}), &out.integers(first), &out.integers(end),
                           &out.integers(axis)});
}

/// Streams with branches in an axis of their own, and the number of axes in front of that.
struct Streams {
  Value& value;
  std::int64_t axes;
};

Streams split_streams(Decomposition& out, std::int64_t branches) {
  Value& x = wide(out, 0);
  const std::int64_t rank = out.rank(0);
  if (branches == 0) return {x, rank - 2};
  return {with_tail(out, x, rank - 1, {branches, -1}), rank - 1};
}

/// Gates of branches, or of their features, for streams with `axes` axes in front.
Value* gates(Decomposition& out, std::int64_t input, std::int64_t axes, std::int64_t branches) {
  Value& mix = wide(out, input);
  if (out.rank(input) == axes + 2) return &mix;
  if (out.rank(input) != axes + 1) return nullptr;
  // One gate a branch, or with branches and features in one axis.
  if (branches > 0) return &with_tail(out, mix, axes, {branches, -1});
  return &out.add_with_axes("Unsqueeze", mix, {axes + 1});
}

bool has_types(const Decomposition& out, std::int64_t inputs) {
  for (std::int64_t i = 0; i < inputs; ++i) {
    if (out.input(i) != nullptr && (out.element(i) == DataType::undefined || out.rank(i) < 0))
      return false;
  }
  return true;
}

Results pre_mix(Decomposition& out) {
  const auto op = read_op<HyperConnectionPreMix>(out.node());
  if (!has_types(out, 2)) return {};
  const Streams streams = split_streams(out, op.branches);
  Value* mix = gates(out, 1, streams.axes, op.branches);
  if (mix == nullptr) return {};
  Value& weighted = out.add("Mul", {&streams.value, mix});
  const std::int64_t axis[] = {streams.axes};
  std::vector<Attribute> keeps = plain_attributes({{"keepdims", std::int64_t{0}}});
  if (out.opset() < opset_without_attribute("ReduceSum", "axes")) return {};
  Value* sum = &out.add("ReduceSum", {&weighted, &out.integers(axis)}, std::move(keeps));
  Tensor factor(DataType::float32, Shape());
  factor.mutable_data<float>()[0] = op.scale;
  if (op.scale != 1.0F) sum = &out.add("Mul", {sum, &out.constant(std::move(factor))});
  return {&converted_to(out, *sum, DataType::float32, out.element(0))};
}

Results post_mix(Decomposition& out) {
  const auto op = read_op<HyperConnectionPostMix>(out.node());
  if (!has_types(out, 4)) return {};
  const Streams streams = split_streams(out, op.branches);
  Value* mix = gates(out, 2, streams.axes, op.branches);
  if (mix == nullptr) return {};
  Value* mixed = &streams.value;
  if (out.input(3) != nullptr) {
    std::vector<std::int64_t> order;
    for (std::int64_t i = 0; i < streams.axes; ++i) order.push_back(i);
    order.push_back(streams.axes + 1);
    order.push_back(streams.axes);
    std::vector<Attribute> perm(1);
    perm.front().name = "perm";
    perm.front().value = std::move(order);
    Value& by_target = out.add("Transpose", {&wide(out, 3)}, std::move(perm));
    mixed = &out.add("MatMul", {&by_target, mixed});
  }
  Value& block = out.add_with_axes("Unsqueeze", wide(out, 1), {streams.axes});
  Value& sum = out.add("Add", {mixed, &out.add("Mul", {mix, &block})});
  Value& narrow = converted_to(out, sum, DataType::float32, out.element(0));
  return {op.branches > 0 ? &with_shape_of(out, narrow, 0) : &narrow};
}

/// x times the inverse root of its mean square over the last axis.
Value& rms_normalized(Decomposition& out, Value& x, float epsilon) {
  Tensor ones(DataType::float32, Shape({1}));
  ones.mutable_data<float>()[0] = 1;
  return out.add_own("RMSNormalization", {&x, &out.constant(std::move(ones))},
                     plain_attributes({{"epsilon", epsilon}}));
}

Results branchwise_norm(Decomposition& out) {
  const auto op = read_op<BranchwiseRMSNorm>(out.node());
  if (!has_types(out, 2)) return {};
  const Streams streams = split_streams(out, op.branches);
  Value* normal = &rms_normalized(out, streams.value, op.epsilon);
  if (out.input(1) != nullptr) {
    Value* scale = &wide(out, 1);
    // One vector holds features, or branches times features.
    if (out.rank(1) == 1) {
      const std::int64_t rest[] = {-1};
      Value& sizes = out.add("Concat", {&out.integers(rest), &last_size(out, streams.value)},
                             plain_attributes({{"axis", std::int64_t{0}}}));
      scale = &out.add("Reshape", {scale, &sizes});
    }
    normal = &out.add("Mul", {normal, scale});
  }
  Value& narrow = converted_to(out, *normal, DataType::float32, out.element(0));
  return {op.branches > 0 ? &with_shape_of(out, narrow, 0) : &narrow};
}

Value& scaled_norm(Decomposition& out, Value& x, std::int64_t scale, float epsilon) {
  return out.add("Mul", {&rms_normalized(out, x, epsilon), &wide(out, scale)});
}

Results engram_gate(Decomposition& out) {
  const auto op = read_op<EngramGate>(out.node());
  if (!has_types(out, 6) || out.opset() < opset_without_attribute("ReduceSum", "axes")) return {};
  const auto number = [&](double value) -> Value& {
    Tensor made(DataType::float32, Shape());
    made.mutable_data<float>()[0] = static_cast<float>(value);
    return out.constant(std::move(made));
  };
  Value& key = scaled_norm(out, wide(out, 0), 3, op.epsilon);
  Value& query = scaled_norm(out, wide(out, 1), 4, op.epsilon);
  const std::int64_t last[] = {3};
  Value& product = out.add("ReduceSum", {&out.add("Mul", {&key, &query}), &out.integers(last)});
  Value& width =
      converted_to(out, last_size(out, *out.input(0)), DataType::int64, DataType::float32);
  Value& dot = out.add("Div", {&product, &out.add("Sqrt", {&width})});
  Value& size = out.add("Sqrt", {&out.add("Max", {&out.add("Abs", {&dot}), &number(1e-6)})});
  Value& gate = out.add("Sigmoid", {&out.add("Mul", {&out.add("Sign", {&dot}), &size})});
  Value& value = out.add_with_axes("Unsqueeze", wide(out, 2), {2});
  Value& gated = out.add("Mul", {&gate, &value});
  Value& narrow = converted_to(out, gated, DataType::float32, out.element(0));
  if (!out.has_output(1)) return {&narrow};
  Value& normal = scaled_norm(out, gated, 5, op.epsilon);
  return {&narrow, &converted_to(out, normal, DataType::float32, out.element(0))};
}

}  // namespace

std::span<const DecompositionRow> hyper_connection_decompositions() {
  static constexpr DecompositionRow rows[] = {
      {"BranchwiseRMSNorm", branchwise_norm},
      {"EngramGate", engram_gate, 2},
      {"HyperConnectionPostMix", post_mix},
      {"HyperConnectionPreMix", pre_mix},
  };
  return rows;
}

}  // namespace ortool
