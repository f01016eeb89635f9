// Versions of GatherElements, which differ in types only.
#include "libcore/ops/tensor/indexing/gather_elements.hpp"

#include <utility>

#include "libcore/ops/operand_checks.hpp"
#include "libcore/tensor/shape.hpp"

namespace ortool {

constinit const OpSchema GatherElements::schema = {
    "GatherElements",
    "",
    {{.since = 11,
      .inputs = {{"data", "T"}, {"indices", "Tind"}},
      .outputs = {{"output", "T"}},
      .attributes = {{"axis", AttributeKind::integer, false, 0}},
      .types = {{"T", types::all_tensors}, {"Tind", types::indices}}},
     {.since = 13,
      .inputs = {{"data", "T"}, {"indices", "Tind"}},
      .outputs = {{"output", "T"}},
      .attributes = {{"axis", AttributeKind::integer, false, 0}},
      .types = {{"T", types::all_tensors_and_bfloat16}, {"Tind", types::indices}}}}};

void GatherElements::read(AttributeReader& attributes, int) {
  axis = attributes.integer("axis", 0);
}

void GatherElements::infer(InferContext& context) const {
  check_rank_at_least(context, 0, "data", 1);
  if (context.rank(0) > 0) {
    normalize_axis(axis, context.rank(0));
    check_rank(context, 1, "indices", context.rank(0));
  }
  PartialShape shape = context.shape(1);
  if (!shape && context.rank(0) >= 0) shape = Dimensions(context.shape(0)->size());
  context.set_output(0, context.element(0), std::move(shape));
}

}  // namespace ortool
