// Transposed clones: axis i of the transposed value is axis order[i] of the original.
#include "libcore/optimize/rewrite/transposed_nodes.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/reduction/arg_extreme.hpp"
#include "libcore/ops/reduction/reduce.hpp"
#include "libcore/ops/tensor/pad.hpp"
#include "libcore/ops/tensor/resize.hpp"
#include "libcore/ops/tensor/slice.hpp"
#include "libcore/ops/tensor/split.hpp"
#include "libcore/optimize/rewrite/value_facts.hpp"

namespace ortool {
namespace {

std::int64_t normal(std::int64_t axis, std::int64_t rank) {
  return axis < 0 ? axis + rank : axis;
}

std::int64_t transposed_axis(std::int64_t axis, const Integers& order) {
  const std::int64_t normalized = normal(axis, static_cast<std::int64_t>(order.size()));
  return std::find(order.begin(), order.end(), normalized) - order.begin();
}

Integers transposed_axes(Integers axes, const Integers& order) {
  for (std::int64_t& axis : axes) axis = transposed_axis(axis, order);
  return axes;
}

/// The inputs of the node, with x as the first.
std::vector<Value*> inputs_with(const Node& node, Value& x) {
  std::vector<Value*> inputs = {&x};
  for (std::int64_t i = 1; i < node.input_count(); ++i) inputs.push_back(node.input(i));
  return inputs;
}

bool has_attribute(const Node& node, std::string_view name) {
  return node.find_attribute(name) != nullptr;
}

/// Leading and trailing pads of all axes; nothing when they are computed at run time.
std::optional<Pad::Edges> edges_of(const Node& node, std::int64_t rank) {
  const auto op = read_op<Pad>(node);
  if (!op.pads.is_known() || (op.axes.is_given() && !op.axes.is_known())) return std::nullopt;
  return Pad::edges(rank, *op.pads.value,
                    op.axes.is_known() ? op.axes.value : std::optional<Integers>());
}

Value& add_transposed_pad(Replacement& replacement, const Node& node, Value& x,
                          const Integers& order) {
  const Pad::Edges edges = *edges_of(node, static_cast<std::int64_t>(order.size()));
  Integers pads;
  for (const Integers& side : {edges.begins, edges.ends}) {
    for (const std::int64_t axis : order) pads.push_back(side[static_cast<std::size_t>(axis)]);
  }
  if (has_attribute(node, "pads")) return replacement.add_like(node, {&x}, {{"pads", pads}});
  std::vector<Value*> inputs = {&x, &replacement.integers(std::move(pads))};
  if (node.input_count() > 2 && node.input(2) != nullptr) inputs.push_back(node.input(2));
  return replacement.add_like(node, std::move(inputs));
}

/// The axes of a Slice; nothing when they are unknown or not int64.
std::optional<Integers> axes_of_slice(const Node& node) {
  const auto op = read_op<Slice>(node);
  const bool has_other_indices =
      node.input_count() > 1 && element_of(*node.input(1)) != DataType::int64;
  if (has_other_indices || (op.axes.is_given() && !op.axes.is_known())) return std::nullopt;
  if (op.axes.is_known()) return op.axes.value;
  if (!op.starts.is_known()) return std::nullopt;
  Integers axes;
  for (std::size_t i = 0; i < op.starts.value->size(); ++i)
    axes.push_back(static_cast<std::int64_t>(i));
  return axes;
}

Value& add_transposed_slice(Replacement& replacement, const Node& node, Value& x,
                            const Integers& order) {
  constexpr std::size_t axes_input = 3;
  Integers axes = transposed_axes(*axes_of_slice(node), order);
  std::vector<Value*> inputs = inputs_with(node, x);
  if (inputs.size() == 1) return replacement.add_like(node, inputs, {{"axes", std::move(axes)}});
  if (inputs.size() <= axes_input) inputs.resize(axes_input + 1);
  inputs[axes_input] = &replacement.integers(std::move(axes));
  return replacement.add_like(node, std::move(inputs));
}

bool can_transpose_split(const Node& node) {
  for (std::int64_t i = 0; i < node.output_count(); ++i) {
    if (node.output(i) == nullptr) return false;
  }
  const bool is_attribute = has_attribute(node, "split");
  return !is_attribute || read_op<Split>(node).sizes.is_known();
}

Value& add_transposed_split(Replacement& replacement, const Node& node, Value& x,
                            const Integers& order, std::int64_t index) {
  const auto op = read_op<Split>(node);
  NewAttributes attributes = {{"axis", transposed_axis(op.axis, order)}};
  if (has_attribute(node, "split")) attributes.push_back({"split", *op.sizes.value});
  if (op.pieces) attributes.push_back({"num_outputs", *op.pieces});
  const std::vector<Value*> pieces =
      replacement.add_many("Split", inputs_with(node, x), std::move(attributes),
                           static_cast<std::size_t>(node.output_count()));
  return *pieces[static_cast<std::size_t>(index)];
}

/// Scales and sizes have one element per axis; regions of interest are not supported.
bool is_transposable_factor(const Value& value, std::int64_t rank) {
  if (!value.is_constant()) return false;
  const std::int64_t count = value.constant().element_count();
  return count == 0 || (count == rank && value.constant().shape().rank() == 1);
}

bool can_transpose_resize(const Node& node, std::int64_t rank) {
  const auto op = read_op<Resize>(node);
  if (op.mode != Resize::Mode::nearest || op.antialias ||
      op.coordinates == Resize::Coordinates::tf_crop_and_resize ||
      op.aspect_ratio != Resize::AspectRatio::stretch)
    return false;
  if (op.axes) return true;
  for (std::int64_t i = 1; i < node.input_count(); ++i) {
    const Value* input = node.input(i);
    if (input != nullptr && i != op.roi_input && !is_transposable_factor(*input, rank))
      return false;
  }
  return true;
}

/// A vector with one element per axis, in transposed order.
Tensor transposed_vector(const Tensor& vector, const Integers& order) {
  Tensor result(vector.type(), vector.shape());
  const auto size = static_cast<std::size_t>(bytes_of(vector.type(), 1));
  for (std::size_t i = 0; i < order.size(); ++i)
    std::memcpy(result.mutable_bytes() + i * size,
                vector.bytes() + static_cast<std::size_t>(order[i]) * size, size);
  return result;
}

Value& add_transposed_resize(Replacement& replacement, const Node& node, Value& x,
                             const Integers& order) {
  const auto op = read_op<Resize>(node);
  std::vector<Value*> inputs = inputs_with(node, x);
  if (op.axes)
    return replacement.add_like(node, std::move(inputs),
                                {{"axes", transposed_axes(*op.axes, order)}});
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    if (inputs[i] == nullptr || static_cast<std::int64_t>(i) == op.roi_input) continue;
    const Tensor& factors = inputs[i]->constant();
    if (factors.element_count() > 0)
      inputs[i] = &replacement.constant(transposed_vector(factors, order));
  }
  return replacement.add_like(node, std::move(inputs));
}

bool is_extreme(const Node& node) {
  return node.op_type() == "ReduceMax" || node.op_type() == "ReduceMin";
}

Reduction reduction_of(const Node& node) {
  if (node.op_type() == "ReduceMax") return read_op<ReduceMax>(node);
  return read_op<ReduceMin>(node);
}

}  // namespace

ArgExtreme arg_extreme_of(const Node& node) {
  if (node.op_type() == "ArgMax") return read_op<ArgMax>(node);
  return read_op<ArgMin>(node);
}

bool has_transposed_form(const Node& node, std::int64_t rank) {
  if (!node.domain().empty()) return false;
  if (node.op_type() == "Pad") return edges_of(node, rank).has_value();
  if (node.op_type() == "Slice") return axes_of_slice(node).has_value();
  if (node.op_type() == "Split") return can_transpose_split(node);
  if (node.op_type() == "Resize") return can_transpose_resize(node, rank);
  if (node.op_type() == "ArgMax" || node.op_type() == "ArgMin")
    return arg_extreme_of(node).keep_dimension;
  if (!is_extreme(node)) return false;
  const Reduction reduction = reduction_of(node);
  return reduction.keep_dimensions && !reduction.nothing_when_empty && reduction.axes.is_known();
}

Value& add_transposed(Replacement& replacement, const Node& node, Value& x, const Integers& order,
                      std::int64_t index) {
  if (node.op_type() == "Pad") return add_transposed_pad(replacement, node, x, order);
  if (node.op_type() == "Slice") return add_transposed_slice(replacement, node, x, order);
  if (node.op_type() == "Split") return add_transposed_split(replacement, node, x, order, index);
  if (node.op_type() == "Resize") return add_transposed_resize(replacement, node, x, order);
  if (is_extreme(node)) {
    const Reduction reduction = reduction_of(node);
    const Integers axes =
        reduction.reduced_axes(static_cast<std::int64_t>(order.size()), *reduction.axes.value);
    return add_with_axes(replacement, node.op_type(), x, transposed_axes(axes, order),
                         {{"keepdims", std::int64_t{1}}});
  }
  return replacement.add_like(node, {&x},
                              {{"axis", transposed_axis(arg_extreme_of(node).axis, order)}});
}

}  // namespace ortool
