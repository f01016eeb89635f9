// Versions and shape rule of LpNormalization.
#include "libcore/ops/nn/normalization/lp_normalization.hpp"

#include "libcore/base/format.hpp"
#include "libcore/tensor/shape.hpp"

namespace ortool {

constinit const OpSchema LpNormalization::schema = {
    "LpNormalization",
    "",
    {{.since = 1,
      .inputs = {{"input", "T"}},
      .outputs = {{"output", "T"}},
      .attributes = {{"axis", AttributeKind::integer, false, -1},
                     {"p", AttributeKind::integer, false, 2}},
      .types = {{"T", types::high_floats}}},
     {.since = 22,
      .inputs = {{"input", "T"}},
      .outputs = {{"output", "T"}},
      .attributes = {{"axis", AttributeKind::integer, false, -1},
                     {"p", AttributeKind::integer, false, 2}},
      .types = {{"T", types::floats}}}}};

void LpNormalization::read(AttributeReader& attributes, int) {
  axis = attributes.integer("axis", -1);
  p = attributes.integer("p", 2);
  if (p != 1 && p != 2) throw Error(ErrorCode::invalid, format("p is {} (expected 1 or 2)", p));
}

void LpNormalization::infer(InferContext& context) const {
  if (context.rank(0) >= 0) normalize_axis(axis, context.rank(0));
  context.set_output(0, context.element(0), context.shape(0));
}

}  // namespace ortool
