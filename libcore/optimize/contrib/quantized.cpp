// Decompositions of operators on quantized operands. Each operand is a value, its scale and its
// zero point; those of the result come last, for a concatenation first.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib/quantized/contrib_qlinear_conv.hpp"
#include "libcore/ops/contrib/quantized/contrib_quantize_linear.hpp"
#include "libcore/ops/contrib/quantized/qlinear_pool.hpp"
#include "libcore/ops/contrib/quantized/qlinear_softmax.hpp"
#include "libcore/ops/version_facts.hpp"
#include "libcore/optimize/contrib/decomposition.hpp"
#include "libcore/optimize/opset/node_edits.hpp"
#include "libcore/optimize/rewrite/value_facts.hpp"

namespace ortool {
namespace {

using Results = Decomposition::Results;

/// The first opset with per-channel scales.
std::int64_t opset_of_channel_scales() {
  return opset_of_attribute("DequantizeLinear", "axis");
}

/// The dequantized operand that begins at this input.
Value& floats(Decomposition& out, std::int64_t first, std::vector<Attribute> attributes = {}) {
  return out.add("DequantizeLinear", {out.input(first), out.input(first + 1), out.input(first + 2)},
                 std::move(attributes));
}

/// The quantized result, with the scale at this input. Without a zero point it has the type of the
/// first operand.
Results bytes(Decomposition& out, Value& x, std::int64_t scale) {
  Value* zero = out.input(scale + 1);
  if (zero == nullptr && out.element(0) == DataType::int8)
    zero = &out.constant(filled(DataType::int8, Shape(), 0));
  return {&out.add("QuantizeLinear", {&x, out.input(scale), zero})};
}

Results of_two(Decomposition& out, std::string_view op_type) {
  Value& a = floats(out, 0);
  return bytes(out, out.add(op_type, {&a, &floats(out, 3)}), 6);
}

std::vector<std::int64_t> axes_in_order(std::int64_t rank) {
  std::vector<std::int64_t> axes(static_cast<std::size_t>(rank));
  std::iota(axes.begin(), axes.end(), std::int64_t{0});
  return axes;
}

Value& transposed(Decomposition& out, Value& x, std::vector<std::int64_t> axes) {
  std::vector<Attribute> attributes(1);
  attributes.front().name = "perm";
  attributes.front().value = std::move(axes);
  return out.add("Transpose", {&x}, std::move(attributes));
}

/// The value with its channels moved from the last axis to the second, or back.
Value& moved_channels(Decomposition& out, Value& x, std::int64_t rank, bool to_second) {
  std::vector<std::int64_t> axes = axes_in_order(rank);
  std::rotate(axes.begin() + 1, to_second ? axes.end() - 1 : axes.begin() + 2, axes.end());
  return transposed(out, x, std::move(axes));
}

Results of_one(Decomposition& out, std::string_view op_type,
               std::initializer_list<std::string_view> dropped) {
  Value& x = floats(out, 0);
  return bytes(out, out.add(op_type, {&x}, out.attributes_but(dropped)), 3);
}

/// The same for an image whose channels may be the last axis, before and after. `added` is one more
/// attribute, if it has a name.
Results of_image(Decomposition& out, std::string_view op_type, bool channels_last,
                 std::initializer_list<std::string_view> dropped, Attribute added = {}) {
  const std::int64_t rank = out.rank(0);
  if (channels_last && rank < 3) return {};
  Value* image = out.input(0);
  if (channels_last) image = &moved_channels(out, *image, rank, true);
  Value& x = out.add("DequantizeLinear", {image, out.input(1), out.input(2)});
  std::vector<Attribute> attributes = out.attributes_but(dropped);
  if (!added.name.empty()) attributes.push_back(std::move(added));
  Value& y = *bytes(out, out.add(op_type, {&x}, std::move(attributes)), 3)[0];
  return {channels_last ? &moved_channels(out, y, rank, false) : &y};
}

Results concat(Decomposition& out) {
  if ((out.node().input_count() - 2) % 3 != 0) return {};
  std::vector<Value*> parts;
  for (std::int64_t i = 2; i < out.node().input_count(); i += 3) parts.push_back(&floats(out, i));
  return bytes(out, out.add("Concat", parts, out.attributes_but({})), 0);
}

/// Softmax over one axis, in a graph whose opset flattens: that axis becomes the last.
Value& softmax_of_axis(Decomposition& out, Value& x, std::int64_t axis, std::int64_t rank) {
  std::vector<std::int64_t> axes = axes_in_order(rank);
  std::swap(axes[static_cast<std::size_t>(axis)], axes.back());
  Value& moved = transposed(out, x, axes);
  Value& made = out.add("Softmax", {&moved}, plain_attributes({{"axis", rank - 1}}));
  return transposed(out, made, axes);
}

/// Softmax as of the opset that the node names, whatever the graph's.
Results softmax(Decomposition& out) {
  const auto op = read_op<QLinearSoftmax>(out.node());
  const bool graph_flattens = out.opset() < Softmax::opset_of_one_axis;
  if (op.flatten == graph_flattens) return of_one(out, "Softmax", {"opset"});
  const std::int64_t rank = out.rank(0);
  if (rank < 1) return {};
  const std::int64_t axis = normalize_axis(op.axis, rank);
  Value& x = floats(out, 0);
  if (graph_flattens) return bytes(out, softmax_of_axis(out, x, axis, rank), 3);
  Value& matrix = out.add("Flatten", {&x}, plain_attributes({{"axis", axis}}));
  Value& made = out.add("Softmax", {&matrix}, plain_attributes({{"axis", std::int64_t{1}}}));
  return bytes(out, out.add("Reshape", {&made, &out.add("Shape", {out.input(0)})}), 3);
}

Results global_average(Decomposition& out) {
  const auto op = read_op<QLinearGlobalAveragePool>(out.node());
  return of_image(out, "GlobalAveragePool", op.channels_last, {"channels_last"});
}

/// Pads with which the windows that ceil_mode cuts off are whole without it; nothing where one
/// could then begin behind the image.
std::optional<std::vector<std::int64_t>> completed_pads(const QLinearAveragePool& op) {
  const WindowAttributes& window = op.window;
  const std::size_t axes = window.kernel.size();
  if (window.auto_pad != AutoPad::not_set) return std::nullopt;
  std::vector<std::int64_t> pads = window.pads;
  pads.resize(2 * axes, 0);
  for (std::size_t i = 0; i < axes; ++i) {
    pads[axes + i] += (window.strides.empty() ? 1 : window.strides[i]) - 1;
    if (pads[axes + i] >= window.kernel[i]) return std::nullopt;
  }
  return pads;
}

Results average_pool(Decomposition& out) {
  const auto op = read_op<QLinearAveragePool>(out.node());
  const bool has_ceil = out.opset() >= opset_of_attribute("AveragePool", "ceil_mode");
  if (op.window.ceil_mode && op.count_pads) {
    // ONNX Runtime divides by the whole window, whatever of it lies outside.
    std::optional<std::vector<std::int64_t>> pads = completed_pads(op);
    if (pads) {
      Attribute completed;
      completed.name = "pads";
      completed.value = std::move(*pads);
      return of_image(out, "AveragePool", op.channels_last, {"channels_last", "ceil_mode", "pads"},
                      std::move(completed));
    }
  }
  if (has_ceil) return of_image(out, "AveragePool", op.channels_last, {"channels_last"});
  if (op.window.ceil_mode) return {};
  return of_image(out, "AveragePool", op.channels_last, {"channels_last", "ceil_mode"});
}

Results reduce_mean(Decomposition& out) {
  const auto op = read_op<QLinearReduceMean>(out.node());
  if (out.opset() < opset_of_input("ReduceMean", "axes")) return of_one(out, "ReduceMean", {});
  Value& axes = out.integers(op.axes);
  return bytes(out, out.add("ReduceMean", {&floats(out, 0), &axes}, out.attributes_but({"axes"})),
               3);
}

Results where(Decomposition& out) {
  Value& x = floats(out, 1);
  return bytes(out, out.add("Where", {out.input(0), &x, &floats(out, 4)}), 7);
}

Results conv(Decomposition& out) {
  const auto op = read_op<ContribQLinearConv>(out.node());
  std::vector<Value*> inputs;
  for (std::int64_t i = 0; i < out.node().input_count(); ++i) inputs.push_back(out.input(i));
  const std::int64_t rank = out.rank(0);
  if (op.channels_last && rank < 3) return {};
  if (op.channels_last) inputs[0] = &moved_channels(out, *inputs[0], rank, true);
  Value& y = out.add("QLinearConv", inputs, out.attributes_but({"channels_last"}));
  return {op.channels_last ? &moved_channels(out, y, rank, false) : &y};
}

/// Whether there is more than one scale, or may be.
bool axis_scales(const Decomposition& out) {
  const PartialShape shape = out.shape(1);
  return !shape || (!shape->empty() && !(shape->front() == Dimension(1)));
}

/// ONNX's operator of the same name, the newest one where the graph's opset lacks a type.
Results same_quantization(Decomposition& out, std::string_view op_type, std::string_view data,
                          DataType codes, DataType real, std::int64_t axis) {
  const bool is_per_axis = axis_scales(out);
  std::vector<Attribute> attributes;
  if (is_per_axis) attributes = plain_attributes({{"axis", axis}});
  const std::string_view scale = op_type == "QuantizeLinear" ? "y_scale" : "x_scale";
  const bool is_known = codes != DataType::undefined && real != DataType::undefined;
  const bool has_types = is_known && out.opset() >= opset_of_type(op_type, data, codes) &&
                         out.opset() >= opset_of_type(op_type, scale, real);
  const std::vector<Value*> inputs = {out.input(0), out.input(1), out.input(2)};
  if (has_types && (!is_per_axis || out.opset() >= opset_of_channel_scales()))
    return {&out.add(op_type, inputs, std::move(attributes))};
  return {&out.add_own(op_type, inputs, std::move(attributes))};
}

Results quantize(Decomposition& out) {
  const auto op = read_op<ContribQuantizeLinear>(out.node());
  const DataType codes = out.input(2) != nullptr ? out.element(2) : DataType::uint8;
  return same_quantization(out, "QuantizeLinear", "y_zero_point", codes, out.element(1),
                           op.granularity.axis);
}

Results dequantize(Decomposition& out) {
  const auto op = read_op<ContribDequantizeLinear>(out.node());
  return same_quantization(out, "DequantizeLinear", "x", out.element(0), out.element(1),
                           op.granularity.axis);
}

Results add(Decomposition& out) {
  return of_two(out, "Add");
}

Results multiply(Decomposition& out) {
  return of_two(out, "Mul");
}

Results sigmoid(Decomposition& out) {
  return of_one(out, "Sigmoid", {});
}

Results leaky_relu(Decomposition& out) {
  return of_one(out, "LeakyRelu", {});
}

/// Calls `decompose` if the node has this many required inputs, of which zero points may be
/// omitted: those of the first operand, the second and the result.
template <Results (*decompose)(Decomposition&), std::int64_t required, bool omits_zero_points>
Results checked(Decomposition& out) {
  if (out.node().input_count() < required) return {};
  for (std::int64_t i = 0; i < required; ++i) {
    const bool may_be_omitted = omits_zero_points && i % 3 == 2;
    if (out.input(i) == nullptr && !may_be_omitted) return {};
  }
  return decompose(out);
}

}  // namespace

std::span<const DecompositionRow> quantized_decompositions() {
  static constexpr DecompositionRow rows[] = {
      {"DequantizeLinear", dequantize},
      {"QLinearAdd", checked<add, 7, true>},
      {"QLinearAveragePool", checked<average_pool, 4, true>},
      {"QLinearConcat", checked<concat, 5, false>},
      {"QLinearConv", conv},
      {"QLinearGlobalAveragePool", checked<global_average, 4, true>},
      {"QLinearLeakyRelu", checked<leaky_relu, 4, true>},
      {"QLinearMul", checked<multiply, 7, true>},
      {"QLinearReduceMean", checked<reduce_mean, 4, true>},
      {"QLinearSigmoid", checked<sigmoid, 4, true>},
      {"QLinearSoftmax", checked<softmax, 4, true>},
      {"QLinearWhere", where},
      {"QuantizeLinear", quantize},
  };
  return rows;
}

}  // namespace ortool
