// oneDNN kernels for MatMul: one product with a constant matrix, or a batch of products.
#include "libcore/ops/math/matmul.hpp"

#include "kernels/cpu/gemm/matmul_shapes.hpp"
#include "libcore/base/format.hpp"
#include "providers/onednn/kernel_list.hpp"
#include "providers/onednn/product.hpp"

namespace ortool::onednn {
namespace {

ProductShape flattened_shape(const cpu::GemmSizes& sizes) {
  ProductShape shape;
  shape.sizes = sizes;
  shape.a_row = sizes.k;
  shape.b_row = sizes.n;
  return shape;
}

}  // namespace

std::string refuses_matmul(const NodeView& view, const Tools&) {
  return view.input_type(0) == DataType::float32 && view.input_type(1) == DataType::float32
             ? std::string()
             : "it supports MatMul in float32 only";
}

KernelPtr compile_matmul(const NodeView& view, const KernelRow& row, const Tools& tools,
                         const CompileContext& context) {
  CompiledProduct product = compile_product(view, tools, context);
  const Tensor* b = view.constant(1);
  const std::int64_t rank = b != nullptr ? b->shape().rank() : 0;
  if (rank > 0 && b->element_count() > 0 && (rank <= 2 || b->shape().product(0, rank - 2) == 1)) {
    const Tensor given = b->aligned();
    const std::int64_t n = rank == 1 ? 1 : b->shape()[rank - 1];
    const std::int64_t k = rank == 1 ? b->shape()[0] : b->shape()[rank - 2];
    // For a typical number of rows; the layout works for any.
    product.b = pack_matrix(flattened_shape({64, n, k}), given.data<float>().data(),
                            !product.bias.empty(), *tools.cache, context.cap, context.workers);
  }
  return make_product_kernel(row.name, std::move(product), [](const PrepareContext& prepare) {
    cpu::MatMulShapes shapes = cpu::match_matmul(prepare.inputs[0].shape, prepare.inputs[1].shape);
    ProductWork work;
    work.shape = flattened_shape(shapes.sizes);
    work.offsets = std::move(shapes.offsets);
    work.result = std::move(shapes.result);
    return work;
  });
}

}  // namespace ortool::onednn
