// Schema and shape rule of SwiGLU: both inputs have the output's shape.
#include "libcore/ops/nn/swiglu.hpp"

#include "libcore/ops/shape_rules.hpp"

namespace ortool {

constinit const OpSchema SwiGLU::schema = {
    "SwiGLU",
    "",
    {{.since = 28,
      .inputs = {{"A", "T"}, {"B", "T"}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"alpha", AttributeKind::float_number, false, 1.0F}},
      .types = {{"T", types::floats}}}}};

void SwiGLU::read(AttributeReader& attributes, int) {
  alpha = attributes.number("alpha", 1);
}

void SwiGLU::infer(InferContext& context) const {
  context.set_output(0, common_element(context, 0, 2),
                     merge_shapes(context.shape(0), context.shape(1)));
}

}  // namespace ortool
