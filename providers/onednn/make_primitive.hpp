// oneDNN primitive creation from requests.
#pragma once

#include "providers/onednn/primitive.hpp"
#include "providers/onednn/requests.hpp"

namespace dnnl {
struct engine;
}

namespace ortool::onednn {

// Each throws dnnl::error if oneDNN cannot serve the request; the operands are those listed in
// PrimitiveCache.

PrimitivePtr make_conv(const dnnl::engine& engine, const ConvRequest& request,
                       const SerializedDesc& weights);
PrimitivePtr make_conv_weights(const dnnl::engine& engine, const ConvRequest& request,
                               const SerializedDesc& layout);
PrimitivePtr make_product(const dnnl::engine& engine, const ProductRequest& request,
                          const SerializedDesc& weights);
PrimitivePtr make_product_weights(const dnnl::engine& engine, const ProductRequest& request,
                                  const SerializedDesc& layout);
PrimitivePtr make_pool(const dnnl::engine& engine, const PoolRequest& request);
PrimitivePtr make_reorder(const dnnl::engine& engine, const ReorderRequest& request);

}  // namespace ortool::onednn
