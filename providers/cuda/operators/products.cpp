// Matrix products with their epilogues.
#include <algorithm>
#include <array>

#include "libcore/base/format.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/math/gemm.hpp"
#include "providers/cuda/operators/epilogue.hpp"
#include "providers/cuda/operators/float8_products.hpp"
#include "providers/cuda/operators/matrices.hpp"
#include "providers/cuda/operators/operator_table.hpp"

namespace ortool::cuda {
namespace {

std::size_t emit_matrices(DevicePlanBuilder& builder, const Node& node, Matrices a, Matrices b,
                          float alpha, const DeviceTensor& addend, FusedNodes fused_nodes) {
  if (a.columns != b.rows)
    throw Error(ErrorCode::invalid, format("a matrix of {} columns is multiplied by one of {} rows",
                                           a.columns, b.rows));
  const std::int64_t count = builder.output_shape(node).element_count();
  if (count == 0 || a.columns == 0) {
    const DeviceTensor output = builder.make_output(node);
    if (count > 0 && addend.is_given()) {
      Chain(builder, addend, output.shape).store(output);
    } else if (count > 0) {
      builder.command_list().clear(output.memory, bytes_of(output.type, count));
    }
    return 0;
  }
  const std::int64_t batch = align_batches(builder, a, b);
  ProductDesc desc;
  desc.type = a.tensor.element();
  desc.m = a.rows;
  desc.n = b.columns;
  desc.k = a.columns;
  desc.batch = batch;
  desc.transpose_a = a.is_transposed;
  desc.transpose_b = b.is_transposed;
  desc.a_stride = a.count() == 1 ? 0 : a.rows * a.columns;
  desc.b_stride = b.count() == 1 ? 0 : b.rows * b.columns;
  desc.alpha = alpha;
  desc.uses_tf32 = builder.constants().precision() == DevicePrecision::tf32;
  Epilogue epilogue(builder, node, fused_nodes);
  if (addend.is_given()) {
    // Of Gemm, whose result has two axes.
    const std::int64_t size = addend.count();
    const bool is_row = size == desc.n && addend.shape.rank() > 0 &&
                        addend.shape[addend.shape.rank() - 1] == desc.n;
    if (is_row && a.tensor.type != DataType::float64) {
      epilogue.set_bias(addend);
    } else {
      epilogue.set_addend(addend);
    }
  }
  if (a.tensor.type != DataType::float64) epilogue.match(desc.n, 1, batch == 1);
  desc.has_bias = epilogue.bias().is_given();
  desc.has_addend = epilogue.addend().is_given();
  desc.addend_stride = desc.m * desc.n;
  desc.has_relu = epilogue.has_relu();
  const DeviceTensor output = epilogue.make_output();
  ProductPointers pointers = {};
  pointers.a = a.tensor.pointer();
  pointers.b = b.tensor.pointer();
  pointers.bias = epilogue.bias().pointer();
  pointers.addend = epilogue.addend().pointer();
  pointers.out = output.pointer();
  builder.command_list().multiply(builder.device().make_product(desc), pointers);
  return epilogue.folded();
}

/// All products of a group as one call; false: the library has none.
bool emit_group(DevicePlanBuilder& builder, const ProductGroup& group) {
  const Node& first = *group.products.front();
  const DeviceTensor input = builder.input(first, 0);
  const DeviceTensor weights = builder.input(first, 1);
  const Shape& shape = builder.operand(*group.results.front()).shape;
  ProductDesc desc;
  desc.type = input.element();
  desc.k = weights.shape[0];
  desc.n = weights.shape[1];
  desc.batch = static_cast<std::int64_t>(group.products.size());
  desc.b_stride = desc.k * desc.n;
  if (shape.element_count() == 0 || desc.k == 0 || input.type != weights.type) return false;
  desc.m = shape.element_count() / desc.n;
  if (input.count() != desc.m * desc.k) return false;
  desc.has_bias = !group.biases.empty();
  desc.bias_stride = desc.has_bias ? desc.n : 0;
  desc.uses_tf32 = builder.constants().precision() == DevicePrecision::tf32;
  PrimitivePtr product;
  try {
    product = builder.device().make_product(desc);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::unsupported) throw;
    return false;
  }
  const DeviceTensor all = builder.make(input.type, Shape{desc.batch, desc.m, desc.n});
  const void* bias = desc.has_bias ? builder.tensor(*group.biases.front()).pointer() : nullptr;
  builder.command_list().multiply(std::move(product), {input.pointer(), weights.pointer(), bias,
                                                       nullptr, all.pointer(), nullptr});
  const std::int64_t bytes = bytes_of(all.type, desc.m * desc.n);
  for (std::size_t i = 0; i < group.results.size(); ++i) {
    const Value& result = *group.results[i];
    builder.set(result, {all.type, builder.operand(result).shape,
                         all.memory.plus(static_cast<std::int64_t>(i) * bytes)});
  }
  return true;
}

std::size_t emit_matmul(DevicePlanBuilder& builder, const Node& node, FusedNodes fused_nodes) {
  if (const ProductGroup* group = builder.product_groups().find(node)) {
    const auto at = std::find(group->products.begin(), group->products.end(), &node);
    const Value& result = *group->results[static_cast<std::size_t>(at - group->products.begin())];
    const bool is_emitted = builder.has_tensor(result) ||
                            (at == group->products.begin() && emit_group(builder, *group));
    if (is_emitted) return group->biases.empty() ? 0 : 1;
  }
  if (const auto folded = emit_float8(builder, node, Gemm{}, {}, fused_nodes)) return *folded;
  return emit_matrices(builder, node, matrices_of(builder.input(node, 0), false, true),
                       matrices_of(builder.input(node, 1), false, false), 1, {}, fused_nodes);
}

/// beta * C as a matrix of the result's shape, or as a vector of its columns.
DeviceTensor gemm_addend(DevicePlanBuilder& builder, const Node& node, float beta) {
  DeviceTensor c = builder.input(node, 2);
  if (!c.is_given() || beta == 0.0F) return {};
  const Shape& shape = builder.output_shape(node);
  const bool is_row =
      c.count() == shape[1] && c.shape.rank() > 0 && c.shape[c.shape.rank() - 1] == shape[1];
  const bool fits = c.shape == shape || (is_row && c.type != DataType::float64);
  if (fits && beta == 1.0F) return c;
  const Shape result = is_row && c.type != DataType::float64 ? Shape{shape[1]} : shape;
  c.shape = is_row ? Shape{shape[1]} : c.shape;
  const DeviceTensor scaled = builder.make(c.type, result);
  Chain chain(builder, c, result);
  if (beta != 1.0F) chain.apply(ElementOp::scale_shift, static_cast<double>(beta), 0);
  chain.store(scaled);
  return scaled;
}

std::size_t emit_gemm(DevicePlanBuilder& builder, const Node& node, FusedNodes fused_nodes) {
  const Gemm op = read_op<Gemm>(node);
  const DeviceTensor addend = gemm_addend(builder, node, op.beta);
  if (const auto folded = emit_float8(builder, node, op, addend, fused_nodes)) return *folded;
  return emit_matrices(builder, node, matrices_of(builder.input(node, 0), op.transpose_a, true),
                       matrices_of(builder.input(node, 1), op.transpose_b, false), op.alpha, addend,
                       fused_nodes);
}

std::string refuses_types(const Node& node) {
  for (std::int64_t i = 1; i < node.input_count(); ++i) {
    if (node.input(i) != nullptr && type_of(node.input(i)) != type_of(node.input(0)))
      return "operands differ in type";
  }
  return {};
}

constexpr std::array<OperatorRow, 2> rows = {{
    {"", "MatMul", OperatorTypes::reals, 0, refuses_types, emit_matmul},
    {"", "Gemm", OperatorTypes::reals, 0, refuses_types, emit_gemm},
}};

}  // namespace

std::span<const OperatorRow> product_rows() {
  return rows;
}

}  // namespace ortool::cuda
