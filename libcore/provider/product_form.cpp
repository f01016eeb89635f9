// Product operators: the type of their sums, the axis of their channels, the epilogue they support.
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/math/gemm.hpp"
#include "libcore/ops/own_domain.hpp"
#include "libcore/ops/vendor/matmul_n_bits.hpp"
#include "libcore/provider/product_epilogue.hpp"

namespace ortool {
namespace {

ProductForm conv_form(const NodeView& view) {
  ProductForm form;
  const std::optional<Shape> weights =
      view.constant(1) != nullptr ? std::optional(view.constant(1)->shape()) : view.input_shape(1);
  const bool has_known_bias = view.node().input(2) == nullptr || view.constant(2) != nullptr;
  if (!weights || !has_known_bias) return form;
  form.channels = (*weights)[0];
  form.axes_behind = weights->rank() - 2;
  form.can_scale = view.constant(1) != nullptr;
  return form;
}

/// The columns of a matrix; -1: unknown.
std::int64_t columns_of(const Value& matrix) {
  const PartialShape& shape = matrix.type().shape;
  return shape && shape->size() >= 2 && shape->back().is_known() ? shape->back().number() : -1;
}

ProductForm gemm_form(const NodeView& view) {
  ProductForm form;
  form.has_functions = true;
  if (view.node().input(2) != nullptr) return form;
  const PartialShape& b = view.node().input(1)->type().shape;
  if (!b || b->size() != 2) return form;
  const Dimension& columns = (*b)[read_op<Gemm>(view.node()).transpose_b ? 0 : 1];
  if (columns.is_known()) form.channels = columns.number();
  return form;
}

ProductForm matmul_form(std::int64_t columns) {
  ProductForm form;
  form.has_functions = true;
  form.channels = columns;
  return form;
}

ProductForm matmul_nbits_form(const NodeView& view) {
  constexpr std::int64_t bias_input = 5;
  const bool has_bias = view.node().input(bias_input) != nullptr;
  return matmul_form(has_bias ? -1 : read_op<MatMulNBits>(view.node()).n);
}

ProductForm integer_form(const NodeView& view, ProductForm::Sums sums) {
  ProductForm form = matmul_form(columns_of(*view.node().output(0)));
  form.sums = sums;
  form.can_dequantize = sums == ProductForm::Sums::int8;
  return form;
}

ProductForm requantized_conv_form() {
  ProductForm form;
  form.sums = ProductForm::Sums::int8;
  return form;
}

}  // namespace

std::optional<ProductForm> product_form(const NodeView& view) {
  const Node& node = view.node();
  const std::string_view op_type = node.op_type();
  if (node.domain() == contrib_domain)
    return op_type == "MatMulNBits" ? std::optional(matmul_nbits_form(view)) : std::nullopt;
  if (node.domain() == own_domain)
    return op_type == "QuantizedConv" ? std::optional(requantized_conv_form()) : std::nullopt;
  if (!node.domain().empty()) return std::nullopt;
  if (op_type == "Conv") return conv_form(view);
  if (op_type == "Gemm") return gemm_form(view);
  if (op_type == "MatMul") return matmul_form(columns_of(*node.input(1)));
  if (op_type == "MatMulInteger") return integer_form(view, ProductForm::Sums::int32);
  if (op_type == "QLinearMatMul") return integer_form(view, ProductForm::Sums::int8);
  if (op_type == "QLinearConv") return requantized_conv_form();
  return std::nullopt;
}

}  // namespace ortool
