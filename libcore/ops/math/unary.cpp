// Versions of the unary functions.
#include "libcore/ops/math/unary.hpp"

#include "libcore/ops/value_rules.hpp"

namespace ortool {
namespace {

constexpr std::initializer_list<OpVersion> exponential_versions = {
    {.since = 1,
     .inputs = {{"input", "T"}},
     .outputs = {{"output", "T"}},
     .attributes = {{"consumed_inputs", AttributeKind::integers}},
     .types = {{"T", types::high_floats}}},
    {.since = 6,
     .inputs = {{"input", "T"}},
     .outputs = {{"output", "T"}},
     .types = {{"T", types::high_floats}}},
    {.since = 13,
     .inputs = {{"input", "T"}},
     .outputs = {{"output", "T"}},
     .types = {{"T", types::floats}}}};

constexpr std::initializer_list<OpVersion> root_versions = {
    {.since = 1,
     .inputs = {{"X", "T"}},
     .outputs = {{"Y", "T"}},
     .attributes = {{"consumed_inputs", AttributeKind::integers}},
     .types = {{"T", types::high_floats}}},
    {.since = 6,
     .inputs = {{"X", "T"}},
     .outputs = {{"Y", "T"}},
     .types = {{"T", types::high_floats}}},
    {.since = 13,
     .inputs = {{"X", "T"}},
     .outputs = {{"Y", "T"}},
     .types = {{"T", types::floats}}}};

}  // namespace

constinit const OpSchema Abs::schema = {
    "Abs",
    "",
    {{.since = 1,
      .inputs = {{"X", "T"}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"consumed_inputs", AttributeKind::integers}},
      .types = {{"T", types::high_floats}}},
     {.since = 6,
      .inputs = {{"X", "T"}},
      .outputs = {{"Y", "T"}},
      .types = {{"T", types::numbers}}},
     {.since = 13,
      .inputs = {{"X", "T"}},
      .outputs = {{"Y", "T"}},
      .types = {{"T", types::numbers_and_bfloat16}}}}};

constinit const OpSchema Neg::schema = {
    "Neg",
    "",
    {{.since = 1,
      .inputs = {{"X", "T"}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"consumed_inputs", AttributeKind::integers}},
      .types = {{"T", types::high_floats}}},
     {.since = 6,
      .inputs = {{"X", "T"}},
      .outputs = {{"Y", "T"}},
      .types = {{"T", types::high_floats | types::signed_integers}}},
     {.since = 13,
      .inputs = {{"X", "T"}},
      .outputs = {{"Y", "T"}},
      .types = {{"T", types::floats | types::signed_integers}}}}};

constinit const OpSchema Round::schema = {"Round",
                                          "",
                                          {{.since = 11,
                                            .inputs = {{"X", "T"}},
                                            .outputs = {{"Y", "T"}},
                                            .types = {{"T", types::high_floats}}},
                                           {.since = 22,
                                            .inputs = {{"X", "T"}},
                                            .outputs = {{"Y", "T"}},
                                            .types = {{"T", types::floats}}}}};

constinit const OpSchema Sign::schema = {"Sign",
                                         "",
                                         {{.since = 9,
                                           .inputs = {{"input", "T"}},
                                           .outputs = {{"output", "T"}},
                                           .types = {{"T", types::numbers}}},
                                          {.since = 13,
                                           .inputs = {{"input", "T"}},
                                           .outputs = {{"output", "T"}},
                                           .types = {{"T", types::numbers_and_bfloat16}}}}};

constinit const OpSchema Exp::schema = {"Exp", "", exponential_versions};
constinit const OpSchema Log::schema = {"Log", "", exponential_versions};
constinit const OpSchema Sqrt::schema = {"Sqrt", "", root_versions};
constinit const OpSchema Reciprocal::schema = {"Reciprocal", "", root_versions};
constinit const OpSchema Floor::schema = {"Floor", "", root_versions};
constinit const OpSchema Ceil::schema = {"Ceil", "", root_versions};

void Abs::infer(InferContext& context) const {
  ElementwiseUnary::infer(context);
  change_elements(context, context.element(0), [](const KnownElement& element) {
    const Dimension& number = element.numerator;
    return KnownElement(is_at_least(number, 0) ? number : max(number, -number),
                        element.denominator);
  });
}

void Neg::infer(InferContext& context) const {
  ElementwiseUnary::infer(context);
  change_elements(context, context.element(0), [](const KnownElement& element) {
    return KnownElement(-element.numerator, element.denominator);
  });
}

void Reciprocal::infer(InferContext& context) const {
  ElementwiseUnary::infer(context);
  change_elements(context, context.element(0), [&](const KnownElement& element) {
    return combine(ElementOp::divide, Dimension(1), element, context.element(0));
  });
}

void Round::infer(InferContext& context) const {
  ElementwiseUnary::infer(context);
  change_elements(context, context.element(0), [](const KnownElement& element) {
    return round(Rounding::nearest_even, element);
  });
}

void Floor::infer(InferContext& context) const {
  ElementwiseUnary::infer(context);
  change_elements(context, context.element(0),
                  [](const KnownElement& element) { return round(Rounding::floor, element); });
}

void Ceil::infer(InferContext& context) const {
  ElementwiseUnary::infer(context);
  change_elements(context, context.element(0),
                  [](const KnownElement& element) { return round(Rounding::ceil, element); });
}

}  // namespace ortool
