// Decompositions of the gates around linear attention, and of its forms that ONNX does not have.
#include "libcore/ops/contrib/attention/linear_attention.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "libcore/graph/value_type.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/version_facts.hpp"
#include "libcore/optimize/contrib/decomposition.hpp"

namespace ortool {
namespace {

using Results = Decomposition::Results;

/// `x` in another type; itself if it has it.
Value& in_type(Decomposition& out, Value& x, DataType from, DataType to) {
  if (from == to) return x;
  return out.add("Cast", {&x}, plain_attributes({{"to", static_cast<std::int64_t>(to)}}));
}

Value& reshaped(Decomposition& out, Value& x, std::vector<std::int64_t> sizes) {
  return out.add("Reshape", {&x, &out.integers(sizes)});
}

/// Zeros keep a dimension in a Reshape.
std::vector<std::int64_t> kept_axes(std::int64_t count, std::vector<std::int64_t> others) {
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(count), 0);
  sizes.insert(sizes.end(), others.begin(), others.end());
  return sizes;
}

Results linear_attention_gate(Decomposition& out) {
  const DataType element = out.element(0);
  if (element == DataType::undefined) return {};
  Value& wide = in_type(out, *out.input(0), element, DataType::float32);
  Value& soft = out.add("Softplus", {&out.add("Add", {&wide, out.input(1)})});
  Value& decay = out.add("Mul", {&soft, out.input(2)});
  Value& narrow = in_type(out, decay, DataType::float32, element);
  return {&narrow, out.has_output(1) ? &out.add("Sigmoid", {out.input(3)}) : nullptr};
}

Results gated_rms_norm(Decomposition& out) {
  const auto op = read_op<GatedRMSNorm>(out.node());
  const DataType element = out.element(0);
  const std::int64_t rank = out.rank(0);
  if (rank < 1 || element == DataType::undefined) return {};
  Value& x = in_type(out, *out.input(0), element, DataType::float32);
  Value& gate = in_type(out, *out.input(2), element, DataType::float32);
  Value& weights = in_type(out, *out.input(1), element, DataType::float32);
  Value& sizes = out.add(
      "Concat", {&out.integers(kept_axes(rank - 1, {-1})), &out.add("Shape", {out.input(1)})},
      plain_attributes({{"axis", std::int64_t{0}}}));
  Value& groups = out.add("Reshape", {&x, &sizes});
  Value& normal = out.add_own("RMSNormalization", {&groups, &weights},
                              plain_attributes({{"epsilon", op.epsilon}}));
  Value& whole = out.add("Reshape", {&normal, &out.add("Shape", {out.input(0)})});
  Value& active = op.has_sigmoid ? out.add("Sigmoid", {&gate}) : out.add_own("Swish", {&gate});
  Value& product = out.add("Mul", {&whole, &active});
  return {&in_type(out, product, DataType::float32, element)};
}

Results gated_add(Decomposition& out) {
  Value& gated = out.add("Mul", {out.input(1), out.input(2)});
  return {&out.add("Add", {out.input(0), &gated})};
}

std::vector<Attribute> permutation(std::vector<std::int64_t> order) {
  std::vector<Attribute> given(1);
  given.front().name = "perm";
  given.front().value = std::move(order);
  return given;
}

/// Channels before the sequence, all of them in one axis.
Value& channels_first(Decomposition& out, Value& x, std::int64_t rank) {
  Value& flat = rank == 3 ? x : reshaped(out, x, {0, 0, -1});
  return out.add("Transpose", {&flat}, permutation({0, 2, 1}));
}

/// Element `axis` of the shape of `x`, as a vector.
Value& size_of_axis(Decomposition& out, Value& x, std::int64_t axis) {
  const std::int64_t first[] = {axis};
  const std::int64_t last[] = {axis + 1};
  const std::int64_t zero[] = {0};
  return out.add("Slice", {&out.add("Shape", {&x}), &out.integers(first), &out.integers(last),
                           &out.integers(zero)});
}

/// `x` behind zeros, as many as the state has.
Value& behind_zeros(Decomposition& out, Value& x, std::int64_t dilation) {
  const std::int64_t one[] = {1};
  const std::int64_t factor[] = {dilation};
  const std::int64_t none[] = {0, 0};
  const std::int64_t others[] = {0, 0, 0};
  Value& steps = out.add("Sub", {&size_of_axis(out, *out.input(1), 2), &out.integers(one)});
  Value& state = out.add("Mul", {&steps, &out.integers(factor)});
  Value& pads = out.add("Concat", {&out.integers(none), &state, &out.integers(others)},
                        plain_attributes({{"axis", std::int64_t{0}}}));
  return out.add("Pad", {&x, &pads});
}

/// A dilated convolution of the past and the input, one behind the other.
Results spaced_causal_conv(Decomposition& out) {
  const auto op = read_op<ContribCausalConvWithState>(out.node());
  const PartialShape weight = out.shape(1);
  const std::int64_t rank = out.rank(0);
  const bool is_plain = !op.has_channels_last && op.dilation == 1;
  if (is_plain || rank < 3 || !weight || !(*weight)[0].is_known()) return {};
  if (out.opset() < opset_of_input("Pad", "pads")) return {};
  const std::int64_t channels = (*weight)[0].number();
  const bool moves = op.has_channels_last;
  Value& x = moves ? channels_first(out, *out.input(0), rank) : *out.input(0);
  Value* joined = nullptr;
  if (out.input(3) != nullptr) {
    Value& past = moves ? channels_first(out, *out.input(3), rank) : *out.input(3);
    joined = &out.add("Concat", {&past, &x}, plain_attributes({{"axis", std::int64_t{2}}}));
  } else {
    joined = &behind_zeros(out, x, op.dilation);
  }
  std::vector<Attribute> attributes = plain_attributes({{"group", channels}});
  Attribute& dilations = attributes.emplace_back();
  dilations.name = "dilations";
  dilations.value = std::vector<std::int64_t>{op.dilation};
  Value* y = &out.add("Conv", {joined, out.input(1), out.input(2)}, std::move(attributes));
  if (op.has_silu) y = &out.add_own("Swish", {y});
  const std::int64_t last[] = {std::int64_t{1} << 40};
  const std::int64_t axis[] = {2};
  Value& length = size_of_axis(out, x, 2);
  Value* present = &out.add("Slice", {joined, &length, &out.integers(last), &out.integers(axis)});
  if (!moves) return {y, present};
  y = &out.add("Transpose", {y}, permutation({0, 2, 1}));
  present = &out.add("Transpose", {present}, permutation({0, 2, 1}));
  if (rank == 3) return {y, present};
  // The channels' axes, as those of the input.
  Value& shape = out.add("Shape", {out.input(0)});
  const std::int64_t two[] = {2};
  const std::int64_t zero[] = {0};
  const std::int64_t keeps[] = {0, 0};
  Value& tail =
      out.add("Slice", {&shape, &out.integers(two), &out.integers(last), &out.integers(zero)});
  Value& whole = out.add("Concat", {&out.integers(keeps), &tail},
                         plain_attributes({{"axis", std::int64_t{0}}}));
  return {&out.add("Reshape", {y, &whole}), &out.add("Reshape", {present, &whole})};
}

}  // namespace

std::span<const DecompositionRow> linear_attention_decompositions() {
  static constexpr DecompositionRow rows[] = {
      {"CausalConvWithState", spaced_causal_conv, 2},
      {"GatedAdd", gated_add},
      {"GatedRMSNorm", gated_rms_norm},
      {"LinearAttentionGate", linear_attention_gate, 2},
  };
  return rows;
}

}  // namespace ortool
