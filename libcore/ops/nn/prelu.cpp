// Versions of PRelu and the two rules for the shape of its slope.
#include "libcore/ops/nn/prelu.hpp"

#include "libcore/ops/operand_checks.hpp"

namespace ortool {

constinit const OpSchema PRelu::schema = {
    "PRelu",
    "",
    {{.since = 1,
      .inputs = {{"X", "T"}, {"slope", "T"}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"consumed_inputs", AttributeKind::integers}},
      .types = {{"T", types::high_floats}}},
     {.since = 6,
      .inputs = {{"X", "T"}, {"slope", "T"}},
      .outputs = {{"Y", "T"}},
      .types = {{"T", types::high_floats}}},
     {.since = 7,
      .inputs = {{"X", "T"}, {"slope", "T"}},
      .outputs = {{"Y", "T"}},
      .types = {{"T", types::high_floats}}},
     {.since = 9,
      .inputs = {{"X", "T"}, {"slope", "T"}},
      .outputs = {{"Y", "T"}},
      .types = {{"T", types::high_precision_numbers}}},
     {.since = 16,
      .inputs = {{"X", "T"}, {"slope", "T"}},
      .outputs = {{"Y", "T"}},
      .types = {{"T", types::floats | types_of({DataType::int32, DataType::int64, DataType::uint32,
                                                DataType::uint64})}}}}};

void PRelu::read(AttributeReader& attributes, int version) {
  slopes_are_channels = version < 7;
  attributes.ignore("consumed_inputs");
}

void PRelu::infer(InferContext& context) const {
  if (!slopes_are_channels) {
    check_broadcasts_to(context, 1, "slope", context.shape(0));
  } else if (const Dimension count = dimension_at(context, 1, 0); count != Dimension(1)) {
    if (count.is_known()) check_rank_at_least(context, 0, "X", 2);
    check_vector(context, 1, "slope", dimension_at(context, 0, 1));
  }
  context.set_output(0, context.element(0), context.shape(0));
}

}  // namespace ortool
