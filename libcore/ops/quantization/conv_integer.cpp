// Schema of ConvInteger and checks of its zero points.
#include "libcore/ops/quantization/conv_integer.hpp"

#include "libcore/ops/nn/conv/window_operands.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/quantization/granularity.hpp"
#include "libcore/ops/quantization/quantized_types.hpp"

namespace ortool {

constinit const OpSchema ConvInteger::schema = {
    "ConvInteger",
    "",
    {{.since = 10,
      .inputs = {{"x", "T1"},
                 {"w", "T2"},
                 {"x_zero_point", "T1", Formal::Count::optional},
                 {"w_zero_point", "T2", Formal::Count::optional}},
      .outputs = {{"y", "T3"}},
      .attributes = {{"auto_pad", AttributeKind::string, false, "NOTSET"},
                     {"dilations", AttributeKind::integers},
                     {"group", AttributeKind::integer, false, 1},
                     {"kernel_shape", AttributeKind::integers},
                     {"pads", AttributeKind::integers},
                     {"strides", AttributeKind::integers}},
      .types = {{"T1", types::bytes}, {"T2", types::bytes}, {"T3", types::int32_only}}}}};

void ConvInteger::read(AttributeReader& attributes, int) {
  window.read(attributes);
  groups = read_groups(attributes);
}

void ConvInteger::infer(InferContext& context) const {
  check_single(context, 2, "x_zero_point");
  check_one_or_vector(context, 3, "w_zero_point", dimension_at(context, 1, 0));
  context.set_output(0, DataType::int32, conv_shape(window, groups, context));
}

}  // namespace ortool
