// Decompositions of products of quantized matrices and of integer arithmetic.
#include "libcore/ops/contrib/quantized/quantized_products.hpp"

#include <cstdint>
#include <utility>
#include <vector>

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib/quantized/gemm_float8.hpp"
#include "libcore/ops/contrib/quantized/integer_arithmetic.hpp"
#include "libcore/ops/version_facts.hpp"
#include "libcore/optimize/contrib/common_nodes.hpp"
#include "libcore/optimize/contrib/decomposition.hpp"
#include "libcore/optimize/opset/node_edits.hpp"
#include "libcore/optimize/rewrite/value_facts.hpp"

namespace ortool {
namespace {

using Results = Decomposition::Results;

/// The dequantized operand that begins at this input.
Value& dequantized(Decomposition& out, std::int64_t first, std::vector<Attribute> attributes) {
  return out.add("DequantizeLinear", {out.input(first), out.input(first + 1), out.input(first + 2)},
                 std::move(attributes));
}

/// Whether the input has more than one element, or may have.
bool has_several(const Decomposition& out, std::int64_t input) {
  const PartialShape shape = out.shape(input);
  return !shape || (!shape->empty() && !(shape->front() == Dimension(1)));
}

Value& converted(Decomposition& out, Value& x, DataType type) {
  return out.add("Cast", {&x}, plain_attributes({{"to", static_cast<std::int64_t>(type)}}));
}

/// The sums of a MatMulInteger, scaled by its operands' scales, plus a bias.
Value& scaled(Decomposition& out, Value& sums, Value& a_scale, Value& b_scale, Value* bias) {
  Value& numbers = converted(out, sums, DataType::float32);
  Value* product = &out.add("Mul", {&numbers, &out.add("Mul", {&a_scale, &b_scale})});
  if (bias != nullptr) product = &out.add("Add", {product, bias});
  return *product;
}

/// Exact sums, then scales: the result is float.
Results float_gemm(Decomposition& out) {
  const auto op = read_op<QGemm>(out.node());
  const auto matrix = [&](std::int64_t input, bool transposes) {
    Value* const given = out.input(input);
    return transposes ? &out.add("Transpose", {given}) : given;
  };
  Value* sums = &out.add("MatMulInteger", {matrix(0, op.transpose_a), matrix(3, op.transpose_b),
                                           out.input(2), out.input(5)});
  if (out.input(6) != nullptr) sums = &out.add("Add", {sums, out.input(6)});
  Value& made = scaled(out, *sums, *out.input(1), *out.input(4), nullptr);
  if (op.alpha == 1.0F) return {&made};
  return {&out.add("Mul", {&made, &out.number(static_cast<double>(op.alpha))})};
}

Results gemm(Decomposition& out) {
  constexpr std::int64_t b_scale = 4;
  constexpr std::int64_t c = 6;
  constexpr std::int64_t y_scale = 7;
  if (out.input(y_scale) == nullptr) return float_gemm(out);
  const bool is_per_column = has_several(out, b_scale);
  if (is_per_column && out.opset() < opset_of_attribute("DequantizeLinear", "axis")) return {};
  const std::int64_t column_axis = integer_of(out.node(), "transB", 0) != 0 ? 0 : 1;
  const float alpha = float_of(out.node(), "alpha").value_or(1);
  std::vector<Value*> inputs = {
      &dequantized(out, 0, {}),
      &dequantized(
          out, 3,
          is_per_column ? plain_attributes({{"axis", column_axis}}) : std::vector<Attribute>())};
  if (out.input(c) != nullptr) {
    Value* scale = &out.add("Mul", {out.input(1), out.input(b_scale)});
    if (alpha != 1) scale = &out.add("Mul", {scale, &out.number(static_cast<double>(alpha))});
    const bool is_vector = out.rank(c) == 1 && has_several(out, c) == is_per_column;
    if (is_vector || (!is_per_column && out.rank(c) >= 0)) {
      inputs.push_back(&out.add("DequantizeLinear", {out.input(c), scale},
                                is_per_column ? plain_attributes({{"axis", std::int64_t{0}}})
                                              : std::vector<Attribute>()));
    } else {
      inputs.push_back(&out.add("Mul", {&converted(out, *out.input(c), DataType::float32), scale}));
    }
  }
  Value& product = out.add("Gemm", inputs, out.attributes_but({}));
  Value* zero = out.input(y_scale + 1);
  if (zero == nullptr && out.element(0) == DataType::int8)
    zero = &out.constant(filled(DataType::int8, Shape(), 0));
  return {&out.add("QuantizeLinear", {&product, out.input(y_scale), zero})};
}

Results integer_product(Decomposition& out) {
  const DataType type = out.element(2);
  if (type == DataType::undefined) return {};
  const auto number = [&](std::int64_t input) -> Value* {
    Value* const given = out.input(input);
    const bool is_cast = given != nullptr && type != DataType::float32;
    return is_cast ? &converted(out, *given, DataType::float32) : given;
  };
  Value& sums = out.add("MatMulInteger", {out.input(0), out.input(1), out.input(4), out.input(5)});
  Value& made = scaled(out, sums, *number(2), *number(3), number(6));
  return {type == DataType::float32 ? &made : &converted(out, made, type)};
}

Results dynamic_product(Decomposition& out) {
  const std::vector<Value*> codes = out.add_many("DynamicQuantizeLinear", {out.input(0)}, 3);
  Value& sums = out.add("MatMulInteger", {codes[0], out.input(1), codes[2], out.input(3)});
  return {&scaled(out, sums, *codes[1], *out.input(2), out.input(4))};
}

/// The product in 32 bits, which wraps.
Results word_product(Decomposition& out) {
  if (out.element(0) == DataType::undefined || out.element(1) == DataType::undefined) return {};
  const bool is_unsigned = out.element(0) == DataType::uint16 && out.element(1) == DataType::uint16;
  const DataType type = is_unsigned ? DataType::uint32 : DataType::int32;
  Value& a = converted(out, *out.input(0), type);
  return {&out.add("MatMul", {&a, &converted(out, *out.input(1), type)})};
}

/// The product in float32, rounded once to the type of the result.
Results float8_gemm(Decomposition& out) {
  const auto op = read_op<GemmFloat8>(out.node());
  constexpr std::int64_t opset_of_optional_c = 11;
  if (out.opset() < opset_of_optional_c) return {};
  constexpr std::int64_t opset_of_float8 = 19;
  const auto cast = [&](Value& x, DataType type) -> Value& {
    return add_since(out, opset_of_float8, "Cast", {&x},
                     plain_attributes({{"to", static_cast<std::int64_t>(type)}}));
  };
  const auto number = [&](std::int64_t input, std::int64_t scale) -> Value& {
    Value* const x = out.input(input);
    const bool is_float8 =
        out.element(input) == DataType::float8e4m3fn || out.element(input) == DataType::float8e5m2;
    // The form whose codes a provider may multiply.
    if (is_float8 && out.opset() >= opset_of_float8) {
      Value* factor = out.input(scale);
      if (factor == nullptr) factor = &out.constant(Tensor::of<float>(Shape(), {1.0F}));
      if (out.input(scale) != nullptr && out.rank(scale) != 0) factor = &reshape(out, *factor, {});
      return out.add("DequantizeLinear", {x, factor});
    }
    Value& wide = out.element(input) == DataType::float32 ? *x : cast(*x, DataType::float32);
    return out.input(scale) != nullptr ? out.add("Mul", {&wide, out.input(scale)}) : wide;
  };
  constexpr std::int64_t none = 6;
  std::vector<Value*> inputs = {&number(0, 3), &number(1, 4)};
  if (out.input(2) != nullptr && op.beta != 0.0F) inputs.push_back(&number(2, none));
  Value* y = &out.add("Gemm", inputs,
                      plain_attributes({{"alpha", op.alpha},
                                        {"beta", op.beta},
                                        {"transA", std::int64_t{op.transpose_a}},
                                        {"transB", std::int64_t{op.transpose_b}}}));
  if (op.activation == GemmFloat8::Activation::relu) y = &out.add("Relu", {y});
  if (op.activation == GemmFloat8::Activation::gelu)
    y = &out.add_own("Gelu", {y}, plain_attributes({{"approximate", std::string("tanh")}}));
  if (out.input(5) != nullptr) y = &out.add("Mul", {y, out.input(5)});
  return {op.type == DataType::float32 ? y : &cast(*y, op.type)};
}

/// An operand in int32, minus its zero point.
Value& centered(Decomposition& out, std::int64_t input) {
  Value& x = converted(out, *out.input(input), DataType::int32);
  if (out.input(input + 1) == nullptr) return x;
  return out.add("Sub", {&x, &converted(out, *out.input(input + 1), DataType::int32)});
}

Results multiply_integers(Decomposition& out) {
  Value& a = centered(out, 0);
  return {&out.add("Mul", {&a, &centered(out, 2)})};
}

Results sum_integers(Decomposition& out) {
  const auto op = read_op<ReduceSumInteger>(out.node());
  if (out.element(0) == DataType::undefined) return {};
  const bool is_unsigned = out.element(0) == DataType::uint8;
  Value& x = converted(out, *out.input(0), is_unsigned ? DataType::uint32 : DataType::int32);
  if (out.opset() < opset_of_input("ReduceSum", "axes"))
    return {&out.add("ReduceSum", {&x}, out.attributes_but({}))};
  Value& axes = out.integers(op.axes);
  return {&out.add("ReduceSum", {&x, &axes}, out.attributes_but({"axes"}))};
}

}  // namespace

std::span<const DecompositionRow> quantized_product_decompositions() {
  static constexpr DecompositionRow rows[] = {
      {"DynamicQuantizeMatMul", dynamic_product}, {"GemmFloat8", float8_gemm},
      {"MatMulInteger16", word_product},          {"MatMulIntegerToFloat", integer_product},
      {"MulInteger", multiply_integers},          {"QGemm", gemm},
      {"ReduceSumInteger", sum_integers},
  };
  return rows;
}

}  // namespace ortool
