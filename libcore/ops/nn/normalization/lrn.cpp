// Versions and shape rule of LRN.
#include "libcore/ops/nn/normalization/lrn.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/operand_checks.hpp"

namespace ortool {

constinit const OpSchema LRN::schema = {
    "LRN",
    "",
    {{.since = 1,
      .inputs = {{"X", "T"}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"alpha", AttributeKind::float_number, false, 1e-04F},
                     {"beta", AttributeKind::float_number, false, 0.75F},
                     {"bias", AttributeKind::float_number, false, 1.0F},
                     {"size", AttributeKind::integer, true}},
      .types = {{"T", types::high_floats}}},
     {.since = 13,
      .inputs = {{"X", "T"}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"alpha", AttributeKind::float_number, false, 1e-04F},
                     {"beta", AttributeKind::float_number, false, 0.75F},
                     {"bias", AttributeKind::float_number, false, 1.0F},
                     {"size", AttributeKind::integer, true}},
      .types = {{"T", types::floats}}}}};

void LRN::read(AttributeReader& attributes, int) {
  alpha = attributes.number("alpha", 1e-4F);
  beta = attributes.number("beta", 0.75F);
  bias = attributes.number("bias", 1.0F);
  size = attributes.integer("size");
  if (size < 1) throw Error(ErrorCode::invalid, format("size is {} (expected at least 1)", size));
}

void LRN::infer(InferContext& context) const {
  check_rank_at_least(context, 0, "X", 2);
  context.set_output(0, context.element(0), context.shape(0));
}

}  // namespace ortool
