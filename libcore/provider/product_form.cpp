// Product operators: the type of their sums, the axis of their channels, the epilogue they support.
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib/weights/matmul_bnb4.hpp"
#include "libcore/ops/contrib/weights/matmul_n_bits.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/math/gemm.hpp"
#include "libcore/ops/own_domain.hpp"
#include "libcore/provider/product_epilogue.hpp"

namespace ortool {
namespace {

EpilogueSupport conv_support(const NodeView& view) {
  EpilogueSupport support;
  const std::optional<Shape> weights =
      view.constant(1) != nullptr ? std::optional(view.constant(1)->shape()) : view.input_shape(1);
  const bool has_known_bias = view.node().input(2) == nullptr || view.constant(2) != nullptr;
  support.has_functions = true;
  if (!weights || !has_known_bias) return support;
  support.channels = (*weights)[0];
  support.axes_behind = weights->rank() - 2;
  support.can_scale = view.constant(1) != nullptr;
  return support;
}

/// The columns of a matrix; -1: unknown.
std::int64_t columns_of(const Value& matrix) {
  const PartialShape& shape = matrix.type().shape;
  return shape && shape->size() >= 2 && shape->back().is_known() ? shape->back().number() : -1;
}

EpilogueSupport gemm_support(const NodeView& view) {
  EpilogueSupport support;
  support.has_functions = true;
  if (view.node().input(2) != nullptr) return support;
  const PartialShape& b = view.node().input(1)->type().shape;
  if (!b || b->size() != 2) return support;
  const Dimension& columns = (*b)[read_op<Gemm>(view.node()).transpose_b ? 0 : 1];
  if (columns.is_known()) support.channels = columns.number();
  return support;
}

EpilogueSupport matmul_support(std::int64_t columns) {
  EpilogueSupport support;
  support.has_functions = true;
  support.channels = columns;
  return support;
}

EpilogueSupport matmul_nbits_form(const NodeView& view) {
  constexpr std::int64_t bias_input = 5;
  const bool has_bias = view.node().input(bias_input) != nullptr;
  return matmul_support(has_bias ? -1 : read_op<MatMulNBits>(view.node()).n);
}

EpilogueSupport integer_form(const NodeView& view, EpilogueSupport::Sums sums) {
  EpilogueSupport support = matmul_support(columns_of(*view.node().output(0)));
  support.sums = sums;
  support.can_dequantize = sums == EpilogueSupport::Sums::int8;
  return support;
}

EpilogueSupport requantized_conv_form() {
  EpilogueSupport support;
  support.sums = EpilogueSupport::Sums::int8;
  return support;
}

}  // namespace

std::optional<EpilogueSupport> product_form(const NodeView& view) {
  const Node& node = view.node();
  const std::string_view op_type = node.op_type();
  if (node.domain() == contrib_domain) {
    if (op_type == "MatMulNBits") return matmul_nbits_form(view);
    if (op_type == "MatMulBnb4") return matmul_support(read_op<MatMulBnb4>(node).columns());
    return std::nullopt;
  }
  if (node.domain() == own_domain)
    return op_type == "QuantizedConv" ? std::optional(requantized_conv_form()) : std::nullopt;
  if (!node.domain().empty()) return std::nullopt;
  if (op_type == "Conv") return conv_support(view);
  if (op_type == "Gemm") return gemm_support(view);
  if (op_type == "MatMul") return matmul_support(columns_of(*node.input(1)));
  if (op_type == "MatMulInteger") return integer_form(view, EpilogueSupport::Sums::int32);
  if (op_type == "QLinearMatMul") return integer_form(view, EpilogueSupport::Sums::int8);
  if (op_type == "QLinearConv") return requantized_conv_form();
  return std::nullopt;
}

}  // namespace ortool
