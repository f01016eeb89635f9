// Schema of QuantizedConv and checks of its operands.
#include "libcore/ops/quantization/quantized_conv.hpp"

#include "libcore/ops/nn/conv/window_operands.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/quantization/granularity.hpp"
#include "libcore/ops/quantization/qlinear_conv.hpp"
#include "libcore/ops/quantization/quantized_types.hpp"

namespace ortool {

constinit const OpSchema QuantizedConv::schema = {
    "QuantizedConv",
    "ortool",
    {{.since = 1,
      .inputs = {{"x", "T1"},
                 {"x_scale", "tensor(float)"},
                 {"x_zero_point", "T1"},
                 {"w", "T2"},
                 {"w_scale", "tensor(float)"},
                 {"w_zero_point", "T2"},
                 {"y_scale", "tensor(float)"},
                 {"y_zero_point", "T3"},
                 {"B", "T4", Formal::Count::optional},
                 {"float_B", "tensor(float)", Formal::Count::optional}},
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

void QuantizedConv::read(AttributeReader& attributes, int) {
  window.read(attributes);
  groups = read_groups(attributes);
}

void QuantizedConv::infer(InferContext& context) const {
  QLinearConv{window, groups}.infer(context);
  check_vector(context, 9, "float_B", dimension_at(context, 3, 0));
}

}  // namespace ortool
