// Schemas of the skip normalizations, and their shape rule.
#include "libcore/ops/contrib/fused/skip_normalization.hpp"

#include <string_view>
#include <utility>

#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {
namespace {

constexpr std::initializer_list<Formal> skip_outputs = {
    {"output", "T"},
    {"mean", "U", Formal::Count::optional},
    {"inv_std_var", "U", Formal::Count::optional},
    {"input_skip_bias_sum", "T", Formal::Count::optional}};
constexpr std::initializer_list<AttributeSpec> skip_attributes = {
    {"epsilon", AttributeKind::float_number, false, 1e-12F}};
constexpr std::initializer_list<TypeParameter> skip_types = {{"T", types::floats},
                                                             {"U", types_of({DataType::float32})}};

}  // namespace

constinit const OpSchema ContribSkipLayerNormalization::schema = {
    "SkipLayerNormalization",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"input", "T"},
                 {"skip", "T"},
                 {"gamma", "T"},
                 {"beta", "T", Formal::Count::optional},
                 {"bias", "T", Formal::Count::optional}},
      .outputs = skip_outputs,
      .attributes = skip_attributes,
      .types = skip_types}}};

constinit const OpSchema SkipSimplifiedLayerNormalization::schema = {
    "SkipSimplifiedLayerNormalization",
    contrib_domain,
    {{.since = 1,
      .inputs =
          {{"input", "T"}, {"skip", "T"}, {"gamma", "T"}, {"bias", "T", Formal::Count::optional}},
      .outputs = skip_outputs,
      .attributes = skip_attributes,
      .types = skip_types}}};

void ContribSkipLayerNormalization::read(AttributeReader& attributes, int) {
  epsilon = attributes.number("epsilon", 1e-12F);
}

void ContribSkipLayerNormalization::infer(InferContext& context) const {
  constexpr std::string_view names[] = {"input", "skip", "gamma", "beta", "bias"};
  check_rank_at_least(context, 0, names[0], 1);
  const PartialShape shape = context.shape(0);
  for (std::int64_t i = 1; i < context.input_count(); ++i)
    check_broadcasts_to(context, i, names[i], shape);
  PartialShape statistics = shape;
  if (statistics) statistics->back() = Dimension(1);
  context.set_output(0, context.element(0), shape);
  context.set_output(1, DataType::float32, statistics);
  context.set_output(2, DataType::float32, std::move(statistics));
  context.set_output(3, context.element(0), shape);
}

}  // namespace ortool
