// Versions of Softmax, LogSoftmax and Hardmax; since 13 they work along a single axis.
#include "libcore/ops/nn/softmax.hpp"

#include "libcore/tensor/shape.hpp"

namespace ortool {

constinit const OpSchema Softmax::schema = {
    "Softmax",
    "",
    {{.since = 1,
      .inputs = {{"input", "T"}},
      .outputs = {{"output", "T"}},
      .attributes = {{"axis", AttributeKind::integer, false, 1}},
      .types = {{"T", types::high_floats}}},
     {.since = 11,
      .inputs = {{"input", "T"}},
      .outputs = {{"output", "T"}},
      .attributes = {{"axis", AttributeKind::integer, false, 1}},
      .types = {{"T", types::high_floats}}},
     {.since = 13,
      .inputs = {{"input", "T"}},
      .outputs = {{"output", "T"}},
      .attributes = {{"axis", AttributeKind::integer, false, -1}},
      .types = {{"T", types::floats}}}}};

constinit const OpSchema LogSoftmax::schema = {
    "LogSoftmax",
    "",
    {{.since = 1,
      .inputs = {{"input", "T"}},
      .outputs = {{"output", "T"}},
      .attributes = {{"axis", AttributeKind::integer, false, 1}},
      .types = {{"T", types::high_floats}}},
     {.since = 11,
      .inputs = {{"input", "T"}},
      .outputs = {{"output", "T"}},
      .attributes = {{"axis", AttributeKind::integer, false, 1}},
      .types = {{"T", types::high_floats}}},
     {.since = 13,
      .inputs = {{"input", "T"}},
      .outputs = {{"output", "T"}},
      .attributes = {{"axis", AttributeKind::integer, false, -1}},
      .types = {{"T", types::floats}}}}};

constinit const OpSchema Hardmax::schema = {
    "Hardmax",
    "",
    {{.since = 1,
      .inputs = {{"input", "T"}},
      .outputs = {{"output", "T"}},
      .attributes = {{"axis", AttributeKind::integer, false, 1}},
      .types = {{"T", types::high_floats}}},
     {.since = 11,
      .inputs = {{"input", "T"}},
      .outputs = {{"output", "T"}},
      .attributes = {{"axis", AttributeKind::integer, false, 1}},
      .types = {{"T", types::high_floats}}},
     {.since = 13,
      .inputs = {{"input", "T"}},
      .outputs = {{"output", "T"}},
      .attributes = {{"axis", AttributeKind::integer, false, -1}},
      .types = {{"T", types::floats}}}}};

void SliceOp::read(AttributeReader& attributes, int version) {
  flatten = version < opset_of_one_axis;
  axis = attributes.integer("axis", flatten ? 1 : -1);
}

void SliceOp::infer(InferContext& context) const {
  if (const std::int64_t rank = context.rank(0); rank > 0) normalize_axis(axis, rank);
  context.set_output(0, context.element(0), context.shape(0));
}

}  // namespace ortool
