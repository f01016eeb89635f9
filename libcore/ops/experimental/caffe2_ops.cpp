// Schemas of the Caffe2 operators GRUUnit and ATen.
#include "libcore/ops/experimental/caffe2_ops.hpp"

namespace ortool {

constinit const OpSchema GRUUnit::schema = {
    "GRUUnit",
    "",
    {{.since = 1,
      .inputs = {{"hidden_prev", "T"}, {"gates", "T"}, {"seq_lengths", "T"}, {"t", "T"}},
      .outputs = {{"hidden", "T"}},
      .attributes = {{"drop_states", AttributeKind::integer}},
      .types = {{"T", types::high_floats}}}}};

constinit const OpSchema ATen::schema = {
    "ATen",
    "",
    {{.since = 1,
      .inputs = {{"input", "T", Formal::Count::variadic, 1, false}},
      .outputs = {{"output", "T", Formal::Count::variadic, 1, false}},
      .types = {{"T", types::high_floats | types::indices | types::boolean_only}},
      .takes_any_attribute = true}}};

void GRUUnit::read(AttributeReader& attributes, int) {
  drops_states = attributes.flag("drop_states");
}

void GRUUnit::infer(InferContext& context) const {
  context.set_output(0, context.element(0), context.shape(0));
}

}  // namespace ortool
