// Decompositions of the relative position biases of T5 and WavLM.
#include "libcore/ops/contrib/attention/relative_position_bias.hpp"

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "libcore/graph/value_type.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/version_facts.hpp"
#include "libcore/optimize/contrib/decomposition.hpp"

namespace ortool {
namespace {

using Results = Decomposition::Results;

/// Adds nodes on integers and floats of rank 0 and above.
struct BucketArithmetic {
  Decomposition& out;

  Value& number(std::int64_t value) const {
    Tensor made(DataType::int64, Shape());
    made.mutable_data<std::int64_t>()[0] = value;
    return out.constant(std::move(made));
  }
  Value& real(double value) const {
    Tensor made(DataType::float32, Shape());
    made.mutable_data<float>()[0] = static_cast<float>(value);
    return out.constant(std::move(made));
  }
  Value& cast(Value& x, DataType to) const {
    return out.add("Cast", {&x}, plain_attributes({{"to", static_cast<std::int64_t>(to)}}));
  }
  /// 0 to the length that an input holds.
  Value& positions(std::int64_t input) const {
    Value& length = out.add("Reshape", {out.input(input), &out.integers({})});
    return out.add("Range", {&number(0), &length, &number(1)});
  }
};

/// The bucket of each distance: near ones have their own, far ones share one logarithmically.
Value& bucket_of(const BucketArithmetic& make, Value& distance, std::int64_t buckets,
                 std::int64_t max_distance) {
  Decomposition& out = make.out;
  const std::int64_t near = buckets / 2;
  const double share = static_cast<double>(buckets - near) /
                       std::log(static_cast<double>(max_distance) / static_cast<double>(near));
  Value& is_near = out.add("Less", {&distance, &make.number(near)});
  // Distances of 0 are near, so that their logarithm does not count.
  Value& least = out.add("Max", {&distance, &make.number(1)});
  Value& ratio =
      out.add("Div", {&make.cast(least, DataType::float32), &make.real(static_cast<double>(near))});
  Value& steps = out.add("Mul", {&out.add("Log", {&ratio}), &make.real(share)});
  Value& far = out.add("Add", {&make.cast(steps, DataType::int64), &make.number(near)});
  Value& bounded = out.add("Min", {&far, &make.number(buckets - 1)});
  return out.add("Where", {&is_near, &distance, &bounded});
}

Results relative_position_bias(Decomposition& out) {
  const auto op = read_op<RelativePositionBias>(out.node());
  const PartialShape table = out.shape(0);
  if (!table || !(*table)[0].is_known() || !(*table)[1].is_known() ||
      out.opset() < opset_of_input("Unsqueeze", "axes"))
    return {};
  const BucketArithmetic make{out};
  const std::int64_t all = (*table)[0].number();
  const std::int64_t buckets = op.is_bidirectional ? all / 2 : all;
  if (buckets < 2 || op.max_distance <= buckets / 2) return {};
  Value& queries = out.add_with_axes("Unsqueeze", make.positions(1), {1});
  Value& behind = out.add("Sub", {&queries, &make.positions(2)});
  Value* bucket = nullptr;
  if (op.is_bidirectional) {
    bucket = &bucket_of(make, out.add("Abs", {&behind}), buckets, op.max_distance);
    Value& is_ahead = out.add("Less", {&behind, &make.number(0)});
    bucket = &out.add(
        "Add", {bucket, &out.add("Where", {&is_ahead, &make.number(buckets), &make.number(0)})});
  } else {
    bucket = &bucket_of(make, out.add("Max", {&behind, &make.number(0)}), buckets, op.max_distance);
  }
  const std::int64_t by_head[] = {(*table)[1].number(), all};
  Value& heads = out.add("Reshape", {out.input(0), &out.integers(by_head)});
  Value& found = out.add("Gather", {&heads, bucket}, plain_attributes({{"axis", std::int64_t{1}}}));
  return {&out.add_with_axes("Unsqueeze", found, {0})};
}

/// gate_u * (gate_r * eco_a - 1) + 2 scales the bias; both gates are sigmoids of a small product.
Results gated_relative_position_bias(Decomposition& out) {
  const auto op = read_op<GatedRelativePositionBias>(out.node());
  const PartialShape weight = out.shape(3);
  if (!weight || !weight->back().is_known() || weight->back().number() % 2 != 0 ||
      out.opset() < opset_of_input("Split", "split"))
    return {};
  Value& given = out.input(6) != nullptr
                     ? out.add_contrib("RestorePadding", {out.input(0), out.input(6)})
                     : *out.input(0);
  Value& queries = out.add("Add", {&given, out.input(1)});
  const std::int64_t split[] = {0, 0, op.heads, -1};
  Value& by_head = out.add("Reshape", {&queries, &out.integers(split)});
  std::vector<Attribute> perm(1);
  perm.front().name = "perm";
  perm.front().value = std::vector<std::int64_t>{0, 2, 1, 3};
  Value& heads_first = out.add("Transpose", {&by_head}, std::move(perm));
  Value& projected =
      out.add("Add", {&out.add("MatMul", {&heads_first, out.input(3)}), out.input(4)});
  const std::int64_t halves[] = {0, 0, 0, 2, weight->back().number() / 2};
  Value& pairs = out.add("Reshape", {&projected, &out.integers(halves)});
  const std::int64_t last[] = {4};
  Value& sums = out.add("ReduceSum", {&pairs, &out.integers(last)},
                        plain_attributes({{"keepdims", std::int64_t{0}}}));
  Value& both = out.add("Sigmoid", {&sums});
  const auto gate = [&](std::int64_t index) -> Value& {
    const std::int64_t first[] = {index};
    const std::int64_t end[] = {index + 1};
    const std::int64_t axis[] = {3};
    return out.add("Slice", {&both, &out.integers(first), &out.integers(end), &out.integers(axis)});
  };
  Value& inner = out.add("Sub", {&out.add("Mul", {&gate(1), out.input(5)}), &out.number(1)});
  Value& scale = out.add("Add", {&out.add("Mul", {&gate(0), &inner}), &out.number(2)});
  return {&out.add("Mul", {&scale, out.input(2)})};
}

}  // namespace

std::span<const DecompositionRow> relative_position_decompositions() {
  static constexpr DecompositionRow rows[] = {
      {"GatedRelativePositionBias", gated_relative_position_bias},
      {"RelativePositionBias", relative_position_bias},
  };
  return rows;
}

}  // namespace ortool
