// Versions of the comparison operators and their common shape rule.
#include "libcore/ops/logical/comparison.hpp"

#include "libcore/ops/shape_rules.hpp"

namespace ortool {
namespace {

constexpr std::initializer_list<Formal> strict_order_inputs = {{"A", "T"}, {"B", "T"}};

constexpr std::initializer_list<OpVersion> strict_order_versions = {
    {.since = 1,
     .inputs = strict_order_inputs,
     .outputs = {{"C", "T1"}},
     .attributes = {{"axis", AttributeKind::integer},
                    {"broadcast", AttributeKind::integer, false, 0}},
     .types = {{"T", types::high_floats}, {"T1", types::boolean_only}}},
    {.since = 7,
     .inputs = strict_order_inputs,
     .outputs = {{"C", "T1"}},
     .types = {{"T", types::high_floats}, {"T1", types::boolean_only}}},
    {.since = 9,
     .inputs = strict_order_inputs,
     .outputs = {{"C", "T1"}},
     .types = {{"T", types::numbers}, {"T1", types::boolean_only}}},
    {.since = 13,
     .inputs = strict_order_inputs,
     .outputs = {{"C", "T1"}},
     .types = {{"T", types::numbers_and_bfloat16}, {"T1", types::boolean_only}}}};

constexpr std::initializer_list<Formal> order_inputs = {{"A", "T"}, {"B", "T"}};

constexpr std::initializer_list<OpVersion> order_versions = {
    {.since = 12,
     .inputs = order_inputs,
     .outputs = {{"C", "T1"}},
     .types = {{"T", types::numbers}, {"T1", types::boolean_only}}},
    {.since = 16,
     .inputs = order_inputs,
     .outputs = {{"C", "T1"}},
     .types = {{"T", types::numbers_and_bfloat16}, {"T1", types::boolean_only}}}};

constexpr std::initializer_list<Formal> equal_inputs = {{"A", "T"}, {"B", "T"}};

}  // namespace

constinit const OpSchema Equal::schema = {
    "Equal",
    "",
    {{.since = 1,
      .inputs = equal_inputs,
      .outputs = {{"C", "T1"}},
      .attributes = {{"axis", AttributeKind::integer},
                     {"broadcast", AttributeKind::integer, false, 0}},
      .types = {{"T", types::boolean_only | types::indices}, {"T1", types::boolean_only}}},
     {.since = 7,
      .inputs = equal_inputs,
      .outputs = {{"C", "T1"}},
      .types = {{"T", types::boolean_only | types::indices}, {"T1", types::boolean_only}}},
     {.since = 11,
      .inputs = equal_inputs,
      .outputs = {{"C", "T1"}},
      .types = {{"T", types::boolean_only | types::numbers}, {"T1", types::boolean_only}}},
     {.since = 13,
      .inputs = equal_inputs,
      .outputs = {{"C", "T1"}},
      .types = {{"T", types::boolean_only | types::numbers_and_bfloat16},
                {"T1", types::boolean_only}}},
     {.since = 19,
      .inputs = equal_inputs,
      .outputs = {{"C", "T1"}},
      .types = {{"T", types::all_tensors_and_bfloat16 - types::complexes},
                {"T1", types::boolean_only}}}}};

constinit const OpSchema Greater::schema = {"Greater", "", strict_order_versions};
constinit const OpSchema Less::schema = {"Less", "", strict_order_versions};
constinit const OpSchema GreaterOrEqual::schema = {"GreaterOrEqual", "", order_versions};
constinit const OpSchema LessOrEqual::schema = {"LessOrEqual", "", order_versions};

void BooleanBinary::infer(InferContext& context) const {
  static_cast<void>(common_element(context, 0, 2));
  context.set_output(0, DataType::boolean, broadcast.result_shape(context));
}

void BooleanBinary::combine_all(
    InferContext& context,
    FunctionRef<KnownElement(const KnownElement&, const KnownElement&)> combine) const {
  if (broadcast.kind == LegacyBroadcast::Kind::along_first) return;
  combine_elements(context, DataType::boolean, combine);
}

void Equal::infer(InferContext& context) const {
  BooleanBinary::infer(context);
  combine_all(context, [](const KnownElement& a, const KnownElement& b) {
    return compare(Comparison::equal, a, b);
  });
}

void Less::infer(InferContext& context) const {
  BooleanBinary::infer(context);
  combine_all(context, [](const KnownElement& a, const KnownElement& b) {
    return compare(Comparison::less, a, b);
  });
}

void LessOrEqual::infer(InferContext& context) const {
  BooleanBinary::infer(context);
  combine_all(context, [](const KnownElement& a, const KnownElement& b) {
    return compare(Comparison::less_or_equal, a, b);
  });
}

void Greater::infer(InferContext& context) const {
  BooleanBinary::infer(context);
  combine_all(context, [](const KnownElement& a, const KnownElement& b) {
    return compare(Comparison::less, b, a);
  });
}

void GreaterOrEqual::infer(InferContext& context) const {
  BooleanBinary::infer(context);
  combine_all(context, [](const KnownElement& a, const KnownElement& b) {
    return compare(Comparison::less_or_equal, b, a);
  });
}

}  // namespace ortool
