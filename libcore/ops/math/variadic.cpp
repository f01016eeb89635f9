// Versions of Min, Max, Sum and Mean, and their common shape rule.
#include "libcore/ops/math/variadic.hpp"

#include "libcore/ops/shape_rules.hpp"
#include "libcore/ops/value_rules.hpp"

namespace ortool {
namespace {

constexpr std::initializer_list<Formal> min_inputs = {{"data_0", "T", Formal::Count::variadic}};

constexpr std::initializer_list<Formal> max_inputs = {{"data_0", "T", Formal::Count::variadic}};

constexpr std::initializer_list<Formal> sum_inputs = {{"data_0", "T", Formal::Count::variadic}};

constexpr std::initializer_list<Formal> mean_inputs = {{"data_0", "T", Formal::Count::variadic}};

}  // namespace

constinit const OpSchema Min::schema = {
    "Min",
    "",
    {{.since = 1,
      .inputs = min_inputs,
      .outputs = {{"min", "T"}},
      .attributes = {{"consumed_inputs", AttributeKind::integers}},
      .types = {{"T", types::high_floats}}},
     {.since = 6,
      .inputs = min_inputs,
      .outputs = {{"min", "T"}},
      .types = {{"T", types::high_floats}}},
     {.since = 8,
      .inputs = min_inputs,
      .outputs = {{"min", "T"}},
      .types = {{"T", types::high_floats}}},
     {.since = 12,
      .inputs = min_inputs,
      .outputs = {{"min", "T"}},
      .types = {{"T", types::numbers}}},
     {.since = 13,
      .inputs = min_inputs,
      .outputs = {{"min", "T"}},
      .types = {{"T", types::numbers_and_bfloat16}}}}};

constinit const OpSchema Max::schema = {
    "Max",
    "",
    {{.since = 1,
      .inputs = max_inputs,
      .outputs = {{"max", "T"}},
      .attributes = {{"consumed_inputs", AttributeKind::integers}},
      .types = {{"T", types::high_floats}}},
     {.since = 6,
      .inputs = max_inputs,
      .outputs = {{"max", "T"}},
      .types = {{"T", types::high_floats}}},
     {.since = 8,
      .inputs = max_inputs,
      .outputs = {{"max", "T"}},
      .types = {{"T", types::high_floats}}},
     {.since = 12,
      .inputs = max_inputs,
      .outputs = {{"max", "T"}},
      .types = {{"T", types::numbers}}},
     {.since = 13,
      .inputs = max_inputs,
      .outputs = {{"max", "T"}},
      .types = {{"T", types::numbers_and_bfloat16}}}}};

constinit const OpSchema Sum::schema = {
    "Sum",
    "",
    {{.since = 1,
      .inputs = sum_inputs,
      .outputs = {{"sum", "T"}},
      .attributes = {{"consumed_inputs", AttributeKind::integers}},
      .types = {{"T", types::high_floats}}},
     {.since = 6,
      .inputs = sum_inputs,
      .outputs = {{"sum", "T"}},
      .types = {{"T", types::high_floats}}},
     {.since = 8,
      .inputs = sum_inputs,
      .outputs = {{"sum", "T"}},
      .types = {{"T", types::high_floats}}},
     {.since = 13,
      .inputs = sum_inputs,
      .outputs = {{"sum", "T"}},
      .types = {{"T", types::floats}}}}};

constinit const OpSchema Mean::schema = {
    "Mean",
    "",
    {{.since = 1,
      .inputs = mean_inputs,
      .outputs = {{"mean", "T"}},
      .attributes = {{"consumed_inputs", AttributeKind::integers}},
      .types = {{"T", types::high_floats}}},
     {.since = 6,
      .inputs = mean_inputs,
      .outputs = {{"mean", "T"}},
      .types = {{"T", types::high_floats}}},
     {.since = 8,
      .inputs = mean_inputs,
      .outputs = {{"mean", "T"}},
      .types = {{"T", types::high_floats}}},
     {.since = 13,
      .inputs = mean_inputs,
      .outputs = {{"mean", "T"}},
      .types = {{"T", types::floats}}}}};

void Variadic::read(AttributeReader& attributes, int version) {
  attributes.ignore("consumed_inputs");
  same_shapes = version < 8;
}

void Variadic::infer(InferContext& context) const {
  const std::int64_t count = context.input_count();
  PartialShape shape = context.shape(0);
  for (std::int64_t i = 1; i < count; ++i) {
    shape = same_shapes ? merge_shapes(shape, context.shape(i))
                        : broadcast_shapes(shape, context.shape(i));
  }
  context.set_output(0, common_element(context, 0, count), std::move(shape));
}

void Variadic::combine_all(InferContext& context, ElementOp op) const {
  if (context.input_count() == 1) return keep_elements(context);
  if (context.input_count() != 2) return;
  const DataType element = context.element(0);
  combine_elements(context, element, [&](const KnownElement& a, const KnownElement& b) {
    return combine(op, a, b, element);
  });
}

void Min::infer(InferContext& context) const {
  Variadic::infer(context);
  combine_all(context, ElementOp::minimum);
}

void Max::infer(InferContext& context) const {
  Variadic::infer(context);
  combine_all(context, ElementOp::maximum);
}

void Sum::infer(InferContext& context) const {
  Variadic::infer(context);
  combine_all(context, ElementOp::add);
}

}  // namespace ortool
