// Quantized Gemm, and MatMul with a float result: integer sums, scaled to float.
#include "libcore/lower/quantized_cluster.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/math/gemm.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

/// A matrix product as integer sums of `a` by `b` (k × n), with a factor per column.
struct SumProduct {
  Quantization a;
  Quantization b;
  Tensor matrix;
  float factor = 1.0F;
};

/// The product of the weight scales and the input scale, per column or for all.
Tensor column_factors(const SumProduct& product) {
  const Quantization& b = product.b;
  const std::int64_t count = b.is_single() ? 1 : product.matrix.shape()[1];
  Tensor result(DataType::float32, b.is_single() ? Shape() : Shape({count}));
  for (std::int64_t i = 0; i < count; ++i) {
    result.mutable_data<float>()[static_cast<std::size_t>(i)] =
        product.factor * (product.a.scale_at(0) * b.scale_at(i));
  }
  return result;
}

Tensor zero_points(const Quantization& by) {
  const std::int64_t count = by.is_single() ? 1 : by.scale->constant().element_count();
  Tensor result(by.type, by.is_single() ? Shape() : Shape({count}));
  for (std::int64_t i = 0; i < count; ++i) set_element(result, i, by.zero_at(i));
  return result;
}

void set_type(Node& node, std::string_view name, DataType type) {
  Attribute attribute;
  attribute.name = name;
  attribute.value = static_cast<std::int64_t>(type);
  node.set_attribute(std::move(attribute));
}

/// The integer sums, scaled to float.
Value& add_product(const ClusterEditor& editor, const SumProduct& product, const Node* like) {
  Value& sums = editor.add(
      "MatMulInteger", "",
      {product.a.bytes, &editor.constant(product.matrix), &editor.constant(zero_points(product.a)),
       &editor.constant(zero_points(product.b))},
      like);
  Value& floats = editor.add("Cast", "", {&sums});
  set_type(ClusterEditor::producer(floats), "to", DataType::float32);
  return editor.add("Mul", "", {&floats, &editor.constant(column_factors(product))});
}

bool fuse_matmul_sums(ClusterEditor& editor, const Node& node) {
  const std::optional<QuantizedFactors> factors = quantized_factors(node);
  const Tensor* matrix = factors ? factors->safe_matrix() : nullptr;
  if (matrix == nullptr) return false;
  editor.finish(add_product(editor, {factors->a, factors->b, *matrix}, &node));
  return true;
}

bool fuse_gemm_sums(ClusterEditor& editor, const Node& node) {
  const auto op = read_op<Gemm>(node);
  const std::optional<QuantizedFactors> factors = quantized_factors(node);
  const Tensor* given = factors && !op.transpose_a ? factors->safe_matrix() : nullptr;
  if (given == nullptr) return false;
  const Tensor matrix = op.transpose_b ? transposed_bytes(*given, editor.cap()) : *given;
  Value* result = &add_product(editor, {factors->a, factors->b, matrix, op.alpha}, nullptr);
  if (Value* added = node.input(2)) {
    if (op.beta != 1.0F) {
      Value& beta = editor.constant(Tensor::of<float>(Shape(), {op.beta}));
      added = &editor.add("Mul", "", {added, &beta});
    }
    result = &editor.add("Add", "", {result, added});
  }
  editor.finish(*result);
  return true;
}

}  // namespace

bool fuse_quantized_sums(ClusterEditor& editor, const Node& node) {
  if (!node.domain().empty()) return false;
  if (node.op_type() == "MatMul") return fuse_matmul_sums(editor, node);
  return node.op_type() == "Gemm" && fuse_gemm_sums(editor, node);
}

}  // namespace ortool
