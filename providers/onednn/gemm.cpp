// oneDNN kernels for Gemm: one scaled product with an added matrix.
#include "libcore/ops/math/gemm.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/catalog.hpp"
#include "providers/onednn/kernel_list.hpp"
#include "providers/onednn/product.hpp"

namespace ortool::onednn {
namespace {

ProductShape gemm_shape(const Gemm& op, const Shape& a, const Shape& b) {
  ProductShape shape;
  shape.sizes = {a[op.transpose_a ? 1 : 0], b[op.transpose_b ? 0 : 1], a[op.transpose_a ? 0 : 1]};
  shape.a_row = op.transpose_a ? 1 : a[1];
  shape.a_step = op.transpose_a ? a[1] : 1;
  shape.b_row = op.transpose_b ? 1 : b[1];
  shape.b_column = op.transpose_b ? b[1] : 1;
  return shape;
}

/// How C is broadcast to a result of m x n.
cpu::Addend addend_of(const Shape& c, const cpu::GemmSizes& sizes) {
  if (c.element_count() == 1) return cpu::Addend::scalar;
  const std::int64_t columns = c.rank() > 0 ? c[c.rank() - 1] : 1;
  const std::int64_t rows = c.rank() > 1 ? c[c.rank() - 2] : 1;
  if (columns == 1) return cpu::Addend::per_row;
  return rows == 1 && sizes.m != 1 ? cpu::Addend::per_column : cpu::Addend::full;
}

}  // namespace

std::string refuses_gemm(const NodeView& view, const Tools&) {
  for (std::int64_t i = 0; i < view.node().input_count(); ++i) {
    if (view.node().input(i) != nullptr && view.input_type(i) != DataType::float32)
      return "it supports Gemm in float32 only";
  }
  return {};
}

KernelPtr compile_gemm(const NodeView& view, const KernelRow& row, const Tools& tools,
                       const CompileContext& context) {
  const auto op = read_op<Gemm>(view.node());
  CompiledProduct product = compile_product(view, tools, context);
  product.alpha = op.alpha;
  product.beta = op.beta;
  product.reads_addend = view.node().input(2) != nullptr;
  const Tensor* b = view.constant(1);
  if (b != nullptr && b->shape().rank() == 2 && b->element_count() > 0) {
    const Tensor given = b->aligned();
    const std::int64_t k = b->shape()[op.transpose_b ? 1 : 0];
    // For a typical number of rows; the layout works for any.
    const std::int64_t likely_rows = 64;
    const Shape a = op.transpose_a ? Shape{k, likely_rows} : Shape{likely_rows, k};
    product.b = pack_matrix(gemm_shape(op, a, b->shape()), given.data<float>().data(),
                            !product.bias.empty(), *tools.cache, context.cap, context.workers);
  }
  const bool reads_addend = product.reads_addend;
  return make_product_kernel(row.name, std::move(product), [=](const PrepareContext& prepare) {
    ProductWork work;
    work.shape = gemm_shape(op, prepare.inputs[0].shape, prepare.inputs[1].shape);
    work.offsets.emplace_back();
    work.result = Shape{work.shape.sizes.m, work.shape.sizes.n};
    if (reads_addend) work.addend = addend_of(prepare.inputs[2].shape, work.shape.sizes);
    return work;
  });
}

}  // namespace ortool::onednn
