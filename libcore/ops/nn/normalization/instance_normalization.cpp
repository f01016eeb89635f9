// Versions and shape rule of InstanceNormalization.
#include "libcore/ops/nn/normalization/instance_normalization.hpp"

#include "libcore/ops/operand_checks.hpp"

namespace ortool {

constinit const OpSchema InstanceNormalization::schema = {
    "InstanceNormalization",
    "",
    {{.since = 1,
      .inputs = {{"input", "T"}, {"scale", "T"}, {"B", "T"}},
      .outputs = {{"output", "T"}},
      .attributes = {{"consumed_inputs", AttributeKind::integers},
                     {"epsilon", AttributeKind::float_number, false, 1e-05F}},
      .types = {{"T", types::high_floats}}},
     {.since = 6,
      .inputs = {{"input", "T"}, {"scale", "T"}, {"B", "T"}},
      .outputs = {{"output", "T"}},
      .attributes = {{"epsilon", AttributeKind::float_number, false, 1e-05F}},
      .types = {{"T", types::high_floats}}},
     {.since = 22,
      .inputs = {{"input", "T"}, {"scale", "T"}, {"B", "T"}},
      .outputs = {{"output", "T"}},
      .attributes = {{"epsilon", AttributeKind::float_number, false, 1e-05F}},
      .types = {{"T", types::floats}}}}};

void InstanceNormalization::read(AttributeReader& attributes, int) {
  epsilon = attributes.number("epsilon", 1e-5F);
  attributes.ignore("consumed_inputs");
}

void InstanceNormalization::infer(InferContext& context) const {
  check_rank_at_least(context, 0, "input", 2);
  const Dimension channels = dimension_at(context, 0, 1);
  check_vector(context, 1, "scale", channels);
  check_vector(context, 2, "B", channels);
  context.set_output(0, context.element(0), context.shape(0));
}

}  // namespace ortool
