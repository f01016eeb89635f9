// Versions of GroupNormalization; since 21, scale and bias have one element for each channel.
#include "libcore/ops/nn/normalization/group_normalization.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/nn/conv/window_operands.hpp"
#include "libcore/ops/operand_checks.hpp"

namespace ortool {

constinit const OpSchema GroupNormalization::schema = {
    "GroupNormalization",
    "",
    {{.since = 18,
      .inputs = {{"X", "T"}, {"scale", "T"}, {"bias", "T"}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"epsilon", AttributeKind::float_number, false, 1e-05F},
                     {"num_groups", AttributeKind::integer, true}},
      .types = {{"T", types::floats}},
      .is_deprecated = true},
     {.since = 21,
      .inputs = {{"X", "T"}, {"scale", "T"}, {"bias", "T"}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"epsilon", AttributeKind::float_number, false, 1e-05F},
                     {"num_groups", AttributeKind::integer, true},
                     {"stash_type", AttributeKind::integer, false, 1}},
      .types = {{"T", types::floats}}}}};

void GroupNormalization::read(AttributeReader& attributes, int version) {
  epsilon = attributes.number("epsilon", 1e-5F);
  groups = attributes.integer("num_groups");
  scales_groups = version < opset_of_channel_scales;
  attributes.ignore("stash_type");
  if (groups < 1) {
    throw Error(ErrorCode::invalid, format("num_groups is {} (expected at least 1)", groups));
  }
}

void GroupNormalization::infer(InferContext& context) const {
  check_rank_at_least(context, 0, "X", 2);
  const Dimension channels = dimension_at(context, 0, 1);
  if (channels.is_known()) check_divides("the number of channels", channels.number(), groups);
  const Dimension count = scales_groups ? Dimension(groups) : channels;
  check_vector(context, 1, "scale", count);
  check_vector(context, 2, "bias", count);
  context.set_output(0, context.element(0), context.shape(0));
}

}  // namespace ortool
