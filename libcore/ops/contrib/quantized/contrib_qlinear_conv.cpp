// Schema of com.microsoft.QLinearConv.
#include "libcore/ops/contrib/quantized/contrib_qlinear_conv.hpp"

#include "libcore/ops/contrib/quantized/image_context.hpp"
#include "libcore/ops/contrib/quantized/qlinear_pool.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/nn/conv/window_operands.hpp"
#include "libcore/ops/quantization/quantized_types.hpp"

namespace ortool {

constinit const OpSchema ContribQLinearConv::schema = {
    "QLinearConv",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"x", "T1"},
                 {"x_scale", "tensor(float)"},
                 {"x_zero_point", "T1"},
                 {"w", "T2"},
                 {"w_scale", "tensor(float)"},
                 {"w_zero_point", "T2"},
                 {"y_scale", "tensor(float)"},
                 {"y_zero_point", "T3"},
                 {"B", "T4", Formal::Count::optional}},
      .outputs = {{"y", "T3"}},
      .attributes = {{"auto_pad", AttributeKind::string, false, "NOTSET"},
                     {"channels_last", AttributeKind::integer, false, 0},
                     {"dilations", AttributeKind::integers},
                     {"group", AttributeKind::integer, false, 1},
                     {"kernel_shape", AttributeKind::integers},
                     {"pads", AttributeKind::integers},
                     {"strides", AttributeKind::integers}},
      .types = {{"T1", types::bytes},
                {"T2", types::bytes},
                {"T3", types::bytes},
                {"T4", types::int32_only}}}}};

void ContribQLinearConv::read(AttributeReader& attributes, int version) {
  QLinearConv::read(attributes, version);
  channels_last = attributes.flag("channels_last");
}

void ContribQLinearConv::infer(InferContext& context) const {
  if (!channels_last) return QLinearConv::infer(context);
  const ImageContext image(context, channels_last, 3);
  context.set_output(0, context.element(7),
                     with_channels_last(conv_shape(window, groups, image, 3)));
}

}  // namespace ortool
