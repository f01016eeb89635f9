// Versions of And, Or, Xor and Not.
#include "libcore/ops/logical/boolean.hpp"

namespace ortool {
namespace {

constexpr std::initializer_list<Formal> boolean_inputs = {{"A", "T"}, {"B", "T"}};

constexpr std::initializer_list<OpVersion> boolean_versions = {
    {.since = 1,
     .inputs = boolean_inputs,
     .outputs = {{"C", "T1"}},
     .attributes = {{"axis", AttributeKind::integer},
                    {"broadcast", AttributeKind::integer, false, 0}},
     .types = {{"T", types::boolean_only}, {"T1", types::boolean_only}}},
    {.since = 7,
     .inputs = boolean_inputs,
     .outputs = {{"C", "T1"}},
     .types = {{"T", types::boolean_only}, {"T1", types::boolean_only}}}};

}  // namespace

constinit const OpSchema And::schema = {"And", "", boolean_versions};
constinit const OpSchema Or::schema = {"Or", "", boolean_versions};
constinit const OpSchema Xor::schema = {"Xor", "", boolean_versions};

constinit const OpSchema Not::schema = {"Not",
                                        "",
                                        {{.since = 1,
                                          .inputs = {{"X", "T"}},
                                          .outputs = {{"Y", "T"}},
                                          .types = {{"T", types::boolean_only}}}}};

void And::infer(InferContext& context) const {
  BooleanBinary::infer(context);
  // For And, one known 0 decides the result whatever the other operand is.
  combine_all(context, [](const KnownElement& a, const KnownElement& b) {
    return KnownElement(a.numerator * b.numerator);
  });
}

void Or::infer(InferContext& context) const {
  BooleanBinary::infer(context);
  combine_all(context, [](const KnownElement& a, const KnownElement& b) {
    return KnownElement(1 - (1 - a.numerator) * (1 - b.numerator));
  });
}

void Xor::infer(InferContext& context) const {
  BooleanBinary::infer(context);
  combine_all(context, [](const KnownElement& a, const KnownElement& b) {
    return KnownElement(a.numerator + b.numerator - 2 * a.numerator * b.numerator);
  });
}

void Not::infer(InferContext& context) const {
  ElementwiseUnary::infer(context);
  change_elements(context, DataType::boolean,
                  [](const KnownElement& element) { return KnownElement(1 - element.numerator); });
}

}  // namespace ortool
