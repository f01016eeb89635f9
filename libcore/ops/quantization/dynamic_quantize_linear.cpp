// Schema of DynamicQuantizeLinear.
#include "libcore/ops/quantization/dynamic_quantize_linear.hpp"

namespace ortool {

constinit const OpSchema DynamicQuantizeLinear::schema = {
    "DynamicQuantizeLinear",
    "",
    {{.since = 11,
      .inputs = {{"x", "T1"}},
      .outputs = {{"y", "T2"}, {"y_scale", "tensor(float)"}, {"y_zero_point", "T2"}},
      .types = {{"T1", types::float32_only}, {"T2", types_of({DataType::uint8})}}}}};

void DynamicQuantizeLinear::infer(InferContext& context) const {
  context.set_output(0, DataType::uint8, context.shape(0));
  context.set_output(1, DataType::float32, Dimensions());
  context.set_output(2, DataType::uint8, Dimensions());
}

}  // namespace ortool
