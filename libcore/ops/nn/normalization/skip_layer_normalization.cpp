// Schema and shape rule of SkipLayerNormalization.
#include "libcore/ops/nn/normalization/skip_layer_normalization.hpp"

#include "libcore/ops/operand_checks.hpp"
#include "libcore/tensor/shape.hpp"

namespace ortool {

constinit const OpSchema SkipLayerNormalization::schema = {
    "SkipLayerNormalization",
    "ortool",
    {{.since = 1,
      .inputs = {{"A", "T"}, {"B", "T"}, {"Scale", "T"}, {"Bias", "T", Formal::Count::optional}},
      .outputs = {{"Y", "T"}, {"Sum", "T", Formal::Count::optional}},
      .attributes = {{"axis", AttributeKind::integer, false, -1},
                     {"epsilon", AttributeKind::float_number, false, 1e-05F}},
      .types = {{"T", types::floats}}}}};

void SkipLayerNormalization::read(AttributeReader& attributes, int) {
  axis = attributes.integer("axis", -1);
  epsilon = attributes.number("epsilon", 1e-5F);
}

void SkipLayerNormalization::infer(InferContext& context) const {
  const PartialShape shape = context.shape(0);
  if (shape) normalize_axis(axis, context.rank(0));
  check_broadcasts_to(context, 1, "B", shape);
  check_broadcasts_to(context, 2, "Scale", shape);
  check_broadcasts_to(context, 3, "Bias", shape);
  context.set_output(0, context.element(0), shape);
  context.set_output(1, context.element(0), shape);
}

}  // namespace ortool
