// Schema of QLinearConv and checks of its scales and zero points.
#include "libcore/ops/quantization/qlinear_conv.hpp"

#include "libcore/ops/nn/conv/window_operands.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/quantization/granularity.hpp"
#include "libcore/ops/quantization/quantized_types.hpp"

namespace ortool {

constinit const OpSchema QLinearConv::schema = {
    "QLinearConv",
    "",
    {{.since = 10,
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
                     {"dilations", AttributeKind::integers},
                     {"group", AttributeKind::integer, false, 1},
                     {"kernel_shape", AttributeKind::integers},
                     {"pads", AttributeKind::integers},
                     {"strides", AttributeKind::integers}},
      .types = {{"T1", types::bytes},
                {"T2", types::bytes},
                {"T3", types::bytes},
                {"T4", types::int32_only}}}}};

void QLinearConv::read(AttributeReader& attributes, int) {
  window.read(attributes);
  groups = read_groups(attributes);
}

void QLinearConv::infer(InferContext& context) const {
  const Dimension maps = dimension_at(context, 3, 0);
  check_single(context, 1, "x_scale");
  check_single(context, 2, "x_zero_point");
  check_one_or_vector(context, 4, "w_scale", maps);
  check_one_or_vector(context, 5, "w_zero_point", maps);
  check_single(context, 6, "y_scale");
  check_single(context, 7, "y_zero_point");
  check_vector(context, 8, "B", maps);
  context.set_output(0, context.element(7), conv_shape(window, groups, context, 3));
}

}  // namespace ortool
