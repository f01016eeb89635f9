// oneDNN primitives for convolutions, pools and reorders of one image, plain and blocked.
#include <oneapi/dnnl/dnnl.hpp>

#include "libcore/base/error.hpp"
#include "providers/onednn/make_primitive.hpp"

namespace ortool::onednn {
namespace {

using Dims = dnnl::memory::dims;
using Desc = dnnl::memory::desc;
constexpr auto float32 = dnnl::memory::data_type::f32;

/// The last `axes` of three values.
Dims axes_of(const std::int64_t (&three)[3], std::int64_t axes) {
  return Dims(three + 3 - axes, three + 3);
}

Dims join(Dims front, const Dims& back) {
  front.insert(front.end(), back.begin(), back.end());
  return front;
}

/// Strides of contiguous elements, the last axis fastest.
Dims dense_strides(const Dims& dims) {
  Dims strides(dims.size(), 1);
  for (std::size_t i = dims.size() - 1; i > 0; --i) strides[i - 1] = strides[i] * dims[i];
  return strides;
}

Desc dense(const Dims& dims) {
  return {dims, float32, dense_strides(dims)};
}

Desc any_layout(const Dims& dims) {
  return {dims, float32, dnnl::memory::format_tag::any};
}

Desc image(const Dims& dims, ImageFormat image_format, std::int64_t block) {
  using tag = dnnl::memory::format_tag;
  if (image_format == ImageFormat::planes) return dense(dims);
  constexpr tag sixteens[] = {tag::nCw16c, tag::nChw16c, tag::nCdhw16c};
  constexpr tag eights[] = {tag::nCw8c, tag::nChw8c, tag::nCdhw8c};
  ORTOOL_CHECK(block == 16 || block == 8);
  return {dims, float32, (block == 16 ? sixteens : eights)[dims.size() - 3]};
}

Desc described(const SerializedDesc& layout) {
  dnnl_memory_desc_t data;
  ORTOOL_CHECK(layout.size() == sizeof(data));
  layout.copy(reinterpret_cast<char*>(&data), sizeof(data));
  return Desc(data);
}

dnnl::primitive_attr default_attributes() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

/// Trailing padding that makes the windows fit exactly.
Dims pads_behind(const std::int64_t (&in)[3], const std::int64_t (&out)[3],
                 const std::int64_t (&kernel)[3], const std::int64_t (&stride)[3],
                 const std::int64_t (&dilation)[3], const std::int64_t (&pad)[3],
                 std::int64_t axes) {
  Dims result;
  for (std::int64_t i = 3 - axes; i < 3; ++i) {
    const std::int64_t reach = (out[i] - 1) * stride[i] + (kernel[i] - 1) * dilation[i] + 1;
    result.push_back(reach - in[i] - pad[i]);
  }
  return result;
}

/// Groups (if there are several), output channels, input channels, kernel.
Dims weight_dims(const ConvRequest& request) {
  const std::int64_t groups = request.groups;
  Dims dims = {request.channels_out / groups, request.channels_in / groups};
  if (groups > 1) dims.insert(dims.begin(), groups);
  return join(dims, axes_of(request.kernel, request.axes));
}

/// oneDNN counts the elements skipped between taps.
Dims dilation_of(const ConvRequest& request) {
  Dims dims = axes_of(request.dilation, request.axes);
  for (auto& each : dims) --each;
  return dims;
}

PrimitivePtr finish_conv(const ConvRequest& request, const dnnl::primitive_desc_base& description,
                         const dnnl::primitive& primitive) {
  const int with_bias[] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_BIAS, DNNL_ARG_DST};
  const int without[] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST};
  return std::make_shared<const Primitive>(
      description, primitive,
      request.has_bias != 0 ? std::span<const int>(with_bias) : std::span<const int>(without));
}

PrimitivePtr make_copy(const dnnl::engine& engine, const Desc& from, const Desc& to) {
  const dnnl::reorder::primitive_desc description(engine, from, engine, to, default_attributes());
  const int names[] = {DNNL_ARG_FROM, DNNL_ARG_TO};
  return std::make_shared<const Primitive>(description, dnnl::reorder(description), names);
}

}  // namespace

PrimitivePtr make_conv(const dnnl::engine& engine, const ConvRequest& request,
                       const SerializedDesc& weights) {
  const auto axes = [&](const std::int64_t(&three)[3]) { return axes_of(three, request.axes); };
  const Desc in =
      image(join({1, request.channels_in}, axes(request.in)), request.in_format, request.block);
  const Desc out =
      image(join({1, request.channels_out}, axes(request.out)), request.out_format, request.block);
  const Desc kernel = weights.empty() ? any_layout(weight_dims(request)) : described(weights);
  const Desc bias = request.has_bias != 0 ? dense({request.channels_out}) : Desc();
  const bool is_transposed = request.is_transposed != 0;
  // The window of a transposed convolution slides over the output.
  const Dims behind = is_transposed
                          ? pads_behind(request.out, request.in, request.kernel, request.stride,
                                        request.dilation, request.pad, request.axes)
                          : pads_behind(request.in, request.out, request.kernel, request.stride,
                                        request.dilation, request.pad, request.axes);
  const auto make = [&](auto description, auto primitive) -> PrimitivePtr {
    return finish_conv(request, description, primitive);
  };
  if (is_transposed) {
    const dnnl::deconvolution_forward::desc wanted(
        dnnl::prop_kind::forward_inference, dnnl::algorithm::deconvolution_direct, in, kernel, bias,
        out, axes(request.stride), dilation_of(request), axes(request.pad), behind);
    const dnnl::deconvolution_forward::primitive_desc description(wanted, default_attributes(),
                                                                  engine);
    return make(description, dnnl::deconvolution_forward(description));
  }
  const dnnl::convolution_forward::desc wanted(
      dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct, in, kernel, bias,
      out, axes(request.stride), dilation_of(request), axes(request.pad), behind);
  const dnnl::convolution_forward::primitive_desc description(wanted, default_attributes(), engine);
  return make(description, dnnl::convolution_forward(description));
}

PrimitivePtr make_conv_weights(const dnnl::engine& engine, const ConvRequest& request,
                               const SerializedDesc& layout) {
  return make_copy(engine, dense(weight_dims(request)), described(layout));
}

PrimitivePtr make_pool(const dnnl::engine& engine, const PoolRequest& request) {
  const auto axes = [&](const std::int64_t(&three)[3]) { return axes_of(three, request.axes); };
  const Dims channels = {1, request.channels};
  const Desc in = image(join(channels, axes(request.in)), request.image_format, request.block);
  const Desc out = image(join(channels, axes(request.out)), request.image_format, request.block);
  Dims dilation = axes(request.dilation);
  for (auto& each : dilation) --each;
  const Dims behind = pads_behind(request.in, request.out, request.kernel, request.stride,
                                  request.dilation, request.pad, request.axes);
  const auto algorithm =
      request.kind == PoolKind::largest
          ? dnnl::algorithm::pooling_max
          : (request.kind == PoolKind::mean ? dnnl::algorithm::pooling_avg_exclude_padding
                                            : dnnl::algorithm::pooling_avg_include_padding);
  const dnnl::pooling_v2_forward::desc wanted(dnnl::prop_kind::forward_inference, algorithm, in,
                                              out, axes(request.stride), axes(request.kernel),
                                              dilation, axes(request.pad), behind);
  const dnnl::pooling_v2_forward::primitive_desc description(wanted, default_attributes(), engine);
  const int names[] = {DNNL_ARG_SRC, DNNL_ARG_DST};
  return std::make_shared<const Primitive>(description, dnnl::pooling_v2_forward(description),
                                           names);
}

PrimitivePtr make_reorder(const dnnl::engine& engine, const ReorderRequest& request) {
  const Dims dims = {1, request.channels, request.pixels};
  const Desc planes = image(dims, ImageFormat::planes, request.block);
  const Desc blocks = image(dims, ImageFormat::blocks, request.block);
  return request.to_blocks != 0 ? make_copy(engine, planes, blocks)
                                : make_copy(engine, blocks, planes);
}

}  // namespace ortool::onednn
