// oneDNN primitives for matrix products, with strided operands or b in oneDNN's own layout.
#include <oneapi/dnnl/dnnl.hpp>

#include "libcore/base/error.hpp"
#include "providers/onednn/make_primitive.hpp"

namespace ortool::onednn {
namespace {

using Desc = dnnl::memory::desc;
constexpr auto float32 = dnnl::memory::data_type::f32;

Desc matrix(std::int64_t rows, std::int64_t columns, std::int64_t row, std::int64_t column) {
  return {{rows, columns}, float32, {row, column}};
}

Desc packed(const SerializedDesc& layout) {
  dnnl_memory_desc_t data;
  ORTOOL_CHECK(layout.size() == sizeof(data));
  layout.copy(reinterpret_cast<char*>(&data), sizeof(data));
  return Desc(data);
}

Desc right_matrix(const ProductRequest& request, const SerializedDesc& layout) {
  if (!layout.empty()) return packed(layout);
  if (request.b_row != 0) return matrix(request.k, request.n, request.b_row, request.b_column);
  return {{request.k, request.n}, float32, dnnl::memory::format_tag::any};
}

dnnl::primitive_attr own_scratch() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

}  // namespace

PrimitivePtr make_product(const dnnl::engine& engine, const ProductRequest& request,
                          const SerializedDesc& weights) {
  const Desc a = matrix(request.m, request.k, request.a_row, request.a_step);
  const Desc b = right_matrix(request, weights);
  const Desc c = matrix(request.m, request.n, request.c_row, 1);
  const Desc bias = matrix(1, request.n, request.n, 1);
  const auto wanted =
      request.has_bias != 0 ? dnnl::matmul::desc(a, b, bias, c) : dnnl::matmul::desc(a, b, c);
  const dnnl::matmul::primitive_desc description(wanted, own_scratch(), engine);
  const int with_bias[] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_BIAS, DNNL_ARG_DST};
  const int without[] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST};
  return std::make_shared<const Primitive>(
      description, dnnl::matmul(description),
      request.has_bias != 0 ? std::span<const int>(with_bias) : std::span<const int>(without));
}

PrimitivePtr make_product_weights(const dnnl::engine& engine, const ProductRequest& request,
                                  const SerializedDesc& layout) {
  const Desc from = matrix(request.k, request.n, request.b_row, request.b_column);
  const dnnl::reorder::primitive_desc description(engine, from, engine, packed(layout),
                                                  own_scratch());
  const int names[] = {DNNL_ARG_FROM, DNNL_ARG_TO};
  return std::make_shared<const Primitive>(description, dnnl::reorder(description), names);
}

}  // namespace ortool::onednn
