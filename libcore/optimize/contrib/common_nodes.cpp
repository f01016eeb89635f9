// Nodes shared by decompositions, in the form of the graph's opset.
#include "libcore/optimize/contrib/common_nodes.hpp"

#include <numeric>
#include <string>
#include <utility>

#include "libcore/ops/version_facts.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

std::vector<Attribute> one(Attribute attribute) {
  std::vector<Attribute> made;
  made.push_back(std::move(attribute));
  return made;
}

}  // namespace

Attribute integers_attribute(std::string_view name, std::vector<std::int64_t> values) {
  Attribute made;
  made.name = name;
  made.value = std::move(values);
  return made;
}

Value& add_since(Decomposition& out, std::int64_t opset, std::string_view op_type,
                 std::vector<Value*> inputs, std::vector<Attribute> given) {
  return *add_many_since(out, opset, op_type, std::move(inputs), 1, std::move(given)).front();
}

std::vector<Value*> add_many_since(Decomposition& out, std::int64_t opset, std::string_view op_type,
                                   std::vector<Value*> inputs, std::size_t outputs,
                                   std::vector<Attribute> given) {
  return out.opset() >= opset
             ? out.add_many(op_type, std::move(inputs), outputs, std::move(given))
             : out.add_many_own(op_type, std::move(inputs), outputs, std::move(given));
}

Value& transpose(Decomposition& out, Value& x, std::vector<std::int64_t> order) {
  return out.add("Transpose", {&x}, one(integers_attribute("perm", std::move(order))));
}

std::vector<std::int64_t> to_channels_last(std::int64_t rank) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(rank));
  std::iota(order.begin(), order.end(), std::int64_t{1});
  order.front() = 0;
  order.back() = 1;
  for (std::size_t i = 1; i + 1 < order.size(); ++i) order[i] = static_cast<std::int64_t>(i) + 1;
  return order;
}

std::vector<std::int64_t> to_channels_first(std::int64_t rank) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(rank));
  std::iota(order.begin(), order.end(), std::int64_t{-1});
  order[0] = 0;
  order[1] = rank - 1;
  return order;
}

Value& reshape(Decomposition& out, Value& x, std::span<const std::int64_t> shape) {
  return out.add("Reshape", {&x, &out.integers(shape)});
}

Value& cast_to(Decomposition& out, Value& x, DataType type) {
  return out.add("Cast", {&x}, plain_attributes({{"to", static_cast<std::int64_t>(type)}}));
}

Value& widened(Decomposition& out, Value& x, DataType type) {
  const bool is_narrow = type == DataType::float16 || type == DataType::bfloat16;
  return is_narrow ? cast_to(out, x, DataType::float32) : x;
}

Value& slice_axis(Decomposition& out, Value& x, std::int64_t axis, std::int64_t start,
                  std::int64_t end) {
  const std::int64_t starts[] = {start};
  const std::int64_t ends[] = {end};
  const std::int64_t axes[] = {axis};
  return add_since(out, opset_without_attribute("Slice", "starts"), "Slice",
                   {&x, &out.integers(starts), &out.integers(ends), &out.integers(axes)});
}

Value& concatenate(Decomposition& out, std::vector<Value*> parts, std::int64_t axis) {
  return out.add("Concat", std::move(parts), plain_attributes({{"axis", axis}}));
}

Value& gather(Decomposition& out, Value& x, Value& indices, std::int64_t axis) {
  return out.add("Gather", {&x, &indices}, plain_attributes({{"axis", axis}}));
}

Value& axis_size(Decomposition& out, Value& x, std::int64_t axis) {
  return gather(out, out.add("Shape", {&x}), integer_scalar(out, axis), 0);
}

Value& range_to(Decomposition& out, Value& end) {
  return out.add("Range", {&integer_scalar(out, 0), &end, &integer_scalar(out, 1)});
}

Value& reduce(Decomposition& out, std::string_view op_type, Value& x,
              const std::vector<std::int64_t>& axes, bool keeps_axes) {
  std::vector<Attribute> given = plain_attributes({{"keepdims", std::int64_t{keeps_axes ? 1 : 0}}});
  if (axes.empty()) return out.add(op_type, {&x}, std::move(given));
  if (out.opset() >= opset_without_attribute(op_type, "axes"))
    return out.add(op_type, {&x, &out.integers(axes)}, std::move(given));
  given.push_back(integers_attribute("axes", axes));
  return out.add(op_type, {&x}, std::move(given));
}

Value& sizes(Decomposition& out, Value& x, std::int64_t begin, std::int64_t end) {
  return slice_axis(out, out.add("Shape", {&x}), 0, begin, end);
}

Value& unsqueeze(Decomposition& out, Value& x, std::int64_t axis) {
  const std::int64_t axes[] = {axis};
  return add_since(out, opset_without_attribute("Unsqueeze", "axes"), "Unsqueeze",
                   {&x, &out.integers(axes)});
}

Value& squeeze(Decomposition& out, Value& x, std::int64_t axis) {
  const std::int64_t axes[] = {axis};
  if (out.opset() >= opset_without_attribute("Squeeze", "axes"))
    return out.add("Squeeze", {&x, &out.integers(axes)});
  return out.add("Squeeze", {&x}, one(integers_attribute("axes", {axis})));
}

Value& scalar(Decomposition& out, DataType type, double value) {
  return out.constant(make_scalar(type, value));
}

Value& integer_scalar(Decomposition& out, std::int64_t value) {
  return out.constant(make_scalar(DataType::int64, value));
}

Value& activated(Decomposition& out, Value& x, const FusedActivation& activation) {
  const std::string& function = activation.function;
  if (function.empty()) return x;
  constexpr std::int64_t opset_of_hard_swish = 14;
  if (function == "HardSwish") return add_since(out, opset_of_hard_swish, function, {&x});
  const bool takes_inputs = function == "Clip" && out.opset() >= opset_of_input("Clip", "min");
  if (takes_inputs && activation.attributes.size() == 2) {
    Value& low = out.number(static_cast<double>(activation.attributes[0].second));
    Value& high = out.number(static_cast<double>(activation.attributes[1].second));
    return out.add(function, {&x, &low, &high});
  }
  std::vector<Attribute> attributes;
  for (const auto& [name, value] : activation.attributes) {
    for (Attribute& each : plain_attributes({{name, value}})) attributes.push_back(std::move(each));
  }
  return out.add(function, {&x}, std::move(attributes));
}

}  // namespace ortool
