// Schemas and shapes of GroupNorm, SkipGroupNorm and BiasSplitGelu.
#include "libcore/ops/contrib/fused/diffusion.hpp"

#include <utility>

#include "libcore/base/format.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/nn/conv/window_operands.hpp"
#include "libcore/ops/operand_checks.hpp"

namespace ortool {
namespace {

constexpr TypeSet diffusion_types = types_of({DataType::float16, DataType::float32});
constexpr std::initializer_list<AttributeSpec> group_norm_attributes = {
    {"activation", AttributeKind::integer, true},
    {"channels_last", AttributeKind::integer, false, 1},
    {"epsilon", AttributeKind::float_number, false, 1e-5F},
    {"groups", AttributeKind::integer, true}};
constexpr std::initializer_list<TypeParameter> group_norm_types = {{"T", diffusion_types},
                                                                   {"M", diffusion_types}};

}  // namespace

constinit const OpSchema GroupNorm::schema = {
    "GroupNorm",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"X", "T"}, {"gamma", "M"}, {"beta", "M"}},
      .outputs = {{"Y", "T"}},
      .attributes = group_norm_attributes,
      .types = group_norm_types}}};

constinit const OpSchema SkipGroupNorm::schema = {
    "SkipGroupNorm",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"X", "T"},
                 {"gamma", "M"},
                 {"beta", "M"},
                 {"skip", "T"},
                 {"bias", "T", Formal::Count::optional}},
      .outputs = {{"Y", "T"}, {"S", "T", Formal::Count::optional}},
      .attributes = group_norm_attributes,
      .types = group_norm_types}}};

constinit const OpSchema BiasSplitGelu::schema = {"BiasSplitGelu",
                                                  contrib_domain,
                                                  {{.since = 1,
                                                    .inputs = {{"X", "T"}, {"bias", "T"}},
                                                    .outputs = {{"Y", "T"}},
                                                    .types = {{"T", diffusion_types}}}}};

void GroupNorm::read(AttributeReader& attributes, int) {
  constexpr std::int64_t most = std::int64_t{1} << 31;
  groups = attributes.integer_in("groups", 1, 1, most);
  epsilon = attributes.number("epsilon", 1e-5F);
  channels_last = attributes.flag("channels_last", true);
  applies_silu = attributes.flag("activation");
}

void GroupNorm::infer(InferContext& context) const {
  check_rank(context, 0, "X", 4);
  const Dimension channels = dimension_at(context, 0, channels_last ? 3 : 1);
  if (channels.is_known()) check_divides("the number of channels", channels.number(), groups);
  check_vector(context, 1, "gamma", channels);
  check_vector(context, 2, "beta", channels);
  context.set_output(0, context.element(0), context.shape(0));
}

void SkipGroupNorm::infer(InferContext& context) const {
  GroupNorm::infer(context);
  const std::int64_t skip_rank = context.rank(3);
  const Dimension channels = dimension_at(context, 0, channels_last ? 3 : 1);
  if (skip_rank >= 0 && skip_rank != 2 && skip_rank != 4) {
    throw Error(ErrorCode::invalid,
                format("input 'skip' has rank {} (expected 2 or 4)", skip_rank));
  }
  if (skip_rank > 0) {
    check_dimension("the number of channels of 'skip'",
                    dimension_at(context, 3, channels_last || skip_rank == 2 ? skip_rank - 1 : 1),
                    channels);
  }
  check_vector(context, 4, "bias", channels);
  context.set_output(1, context.element(0), context.shape(0));
}

void BiasSplitGelu::infer(InferContext& context) const {
  check_rank(context, 0, "X", 3);
  PartialShape shape = context.shape(0);
  check_vector(context, 1, "bias", dimension_at(context, 0, 2));
  if (shape) {
    if (shape->back().is_known()) check_divides("the last dimension", shape->back().number(), 2);
    shape->back() = floor_divide(shape->back(), 2);
  }
  context.set_output(0, context.element(0), std::move(shape));
}

}  // namespace ortool
