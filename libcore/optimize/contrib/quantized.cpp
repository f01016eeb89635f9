// Decomposition of quantized contrib operators. Each operand is a value, its scale and its zero
// point; those of the result come last, for a concatenation first.
#include <string_view>
#include <utility>

#include "libcore/ops/nn/softmax.hpp"
#include "libcore/ops/version_facts.hpp"
#include "libcore/optimize/contrib/decomposition.hpp"
#include "libcore/optimize/opset/node_edits.hpp"

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

/// The quantized result, with the scale at this input.
Results bytes(Decomposition& out, Value& x, std::int64_t scale) {
  return {&out.add("QuantizeLinear", {&x, out.input(scale), out.input(scale + 1)})};
}

Results of_two(Decomposition& out, std::string_view op_type) {
  Value& a = floats(out, 0);
  return bytes(out, out.add(op_type, {&a, &floats(out, 3)}), 6);
}

Results of_one(Decomposition& out, std::string_view op_type,
               std::initializer_list<std::string_view> dropped) {
  Value& x = floats(out, 0);
  return bytes(out, out.add(op_type, {&x}, out.attributes_but(dropped)), 3);
}

Results concat(Decomposition& out) {
  if ((out.node().input_count() - 2) % 3 != 0) return {};
  std::vector<Value*> parts;
  for (std::int64_t i = 2; i < out.node().input_count(); i += 3) parts.push_back(&floats(out, i));
  return bytes(out, out.add("Concat", parts, out.attributes_but({})), 0);
}

bool has_several(const Value* value) {
  return value != nullptr && value->is_constant() && value->constant().element_count() > 1;
}

Results gemm(Decomposition& out) {
  constexpr std::int64_t b_scale = 4;
  constexpr std::int64_t c = 6;
  constexpr std::int64_t y_scale = 7;
  const bool is_per_column = has_several(out.input(b_scale));
  if (is_per_column && out.opset() < opset_of_channel_scales()) return {};
  const std::int64_t column_axis = integer_of(out.node(), "transB", 0) != 0 ? 0 : 1;
  const float alpha = float_of(out.node(), "alpha").value_or(1);
  std::vector<Value*> inputs = {&floats(out, 0),
                                &floats(out, 3,
                                        is_per_column ? plain_attributes({{"axis", column_axis}})
                                                      : std::vector<Attribute>())};
  if (out.input(c) != nullptr) {
    Value* scale = &out.add("Mul", {out.input(1), out.input(b_scale)});
    if (alpha != 1) scale = &out.add("Mul", {scale, &out.number(static_cast<double>(alpha))});
    inputs.push_back(&out.add(
        "DequantizeLinear", {out.input(c), scale},
        is_per_column ? plain_attributes({{"axis", std::int64_t{0}}}) : std::vector<Attribute>()));
  }
  Value& product = out.add("Gemm", inputs, out.attributes_but({}));
  if (out.input(y_scale) == nullptr) return {&product};
  return bytes(out, product, y_scale);
}

/// The sums of a MatMulInteger, scaled by its operands' scales, plus a bias.
Results scaled(Decomposition& out, Value& sums, Value& a_scale, Value& b_scale, Value* bias) {
  constexpr std::int64_t float_type = 1;
  Value& numbers = out.add("Cast", {&sums}, plain_attributes({{"to", float_type}}));
  Value* product = &out.add("Mul", {&numbers, &out.add("Mul", {&a_scale, &b_scale})});
  if (bias != nullptr) product = &out.add("Add", {product, bias});
  return {product};
}

Results integer_product(Decomposition& out) {
  Value& sums = out.add("MatMulInteger", {out.input(0), out.input(1), out.input(4), out.input(5)});
  return scaled(out, sums, *out.input(2), *out.input(3), out.input(6));
}

Results dynamic_product(Decomposition& out) {
  const std::vector<Value*> codes = out.add_many("DynamicQuantizeLinear", {out.input(0)}, 3);
  Value& sums = out.add("MatMulInteger", {codes[0], out.input(1), codes[2], out.input(3)});
  return scaled(out, sums, *codes[1], *out.input(2), out.input(4));
}

/// Whether Softmax means the same in the opset it was written for as in the graph's.
bool has_same_softmax(const Decomposition& out) {
  const std::int64_t written = integer_of(out.node(), "opset", out.opset());
  return (written < Softmax::opset_of_one_axis) == (out.opset() < Softmax::opset_of_one_axis);
}

Results softmax(Decomposition& out) {
  if (!has_same_softmax(out)) return {};
  return of_one(out, "Softmax", {"opset"});
}

Results global_average(Decomposition& out) {
  if (integer_of(out.node(), "channels_last", 0) != 0) return {};
  return of_one(out, "GlobalAveragePool", {"channels_last"});
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
      {"DynamicQuantizeMatMul", checked<dynamic_product, 3, false>},
      {"MatMulIntegerToFloat", checked<integer_product, 4, false>},
      {"QGemm", checked<gemm, 6, true>},
      {"QLinearAdd", checked<add, 7, true>},
      {"QLinearConcat", checked<concat, 5, false>},
      {"QLinearGlobalAveragePool", checked<global_average, 4, true>},
      {"QLinearLeakyRelu", checked<leaky_relu, 4, true>},
      {"QLinearMul", checked<multiply, 7, true>},
      {"QLinearSigmoid", checked<sigmoid, 4, true>},
      {"QLinearSoftmax", checked<softmax, 4, true>},
  };
  return rows;
}

}  // namespace ortool
