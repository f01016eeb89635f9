// Schema of QLinearSoftmax, whose attribute says which opset's Softmax it is.
#include "libcore/ops/contrib/quantized/qlinear_softmax.hpp"

#include "libcore/ops/contrib/quantized/qlinear_operands.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/quantization/quantized_types.hpp"

namespace ortool {

constinit const OpSchema QLinearSoftmax::schema = {
    "QLinearSoftmax",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"X", "T"},
                 {"X_scale", "tensor(float)"},
                 {"x_zero_point", "T", Formal::Count::optional},
                 {"y_scale", "tensor(float)"},
                 {"y_zero_point", "T"}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"axis", AttributeKind::integer, false, -1},
                     {"opset", AttributeKind::integer, true}},
      .types = {{"T", types::bytes}}}}};

void QLinearSoftmax::read(AttributeReader& attributes, int) {
  axis = attributes.integer("axis", -1);
  flatten = attributes.integer("opset", opset_of_one_axis) < opset_of_one_axis;
}

void QLinearSoftmax::infer(InferContext& context) const {
  check_tensor_scale(context, 1, "X");
  check_tensor_scale(context, 3, "Y");
  SliceOp::infer(context);
}

}  // namespace ortool
