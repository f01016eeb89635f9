// Schema and shape rule of VarlenCausalConvWithState.
#include "libcore/ops/contrib/attention/varlen_causal_conv.hpp"

#include <utility>

#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/quantization/quantized_types.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {

constinit const OpSchema VarlenCausalConvWithState::schema = {
    "VarlenCausalConvWithState",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"input", "T"},
                 {"weight", "T"},
                 {"cumulative_sequence_length", "M"},
                 {"bias", "T", Formal::Count::optional},
                 {"initial_state", "T"},
                 {"capture_count", "M", Formal::Count::optional}},
      .outputs = {{"output", "T"},
                  {"final_state", "T"},
                  {"state_update", "T", Formal::Count::optional}},
      .attributes = {{"activation", AttributeKind::string, false, "none"},
                     {"dilation", AttributeKind::integer, false, 1},
                     {"state_update_capacity", AttributeKind::integer, false, 0}},
      .types = {{"T", types::scales}, {"M", types::int32_only}}}}};

void VarlenCausalConvWithState::read(AttributeReader& attributes, int) {
  constexpr std::int64_t most_captured = 8;
  has_silu = attributes.choice("activation", {"none", "silu", "swish"}, 0) != 0;
  dilation = attributes.integer_in("dilation", 1, 1, std::int64_t{1} << 31);
  capacity = attributes.integer_in("state_update_capacity", 0, 0, most_captured);
  if ((attributes.node().input(5) != nullptr) != (capacity > 0))
    throw Error(ErrorCode::invalid,
                "'capture_count' is given without a state_update_capacity, or the reverse");
}

void VarlenCausalConvWithState::infer(InferContext& context) const {
  check_rank(context, 0, "input", 2);
  check_rank(context, 1, "weight", 3);
  check_rank(context, 4, "initial_state", 3);
  const Dimension batch = dimension_at(context, 4, 0);
  const Dimension channels =
      merge_dimensions(dimension_at(context, 0, 1), dimension_at(context, 1, 0));
  check_dimension("the middle dimension of 'weight'", dimension_at(context, 1, 1), 1);
  const Dimension kernel = dimension_at(context, 1, 2);
  if (kernel.is_known() && kernel.number() < 1)
    throw Error(ErrorCode::invalid, "the window of 'weight' is empty");
  check_vector(context, 2, "cumulative_sequence_length", batch + 1);
  check_vector(context, 3, "bias", channels);
  check_vector(context, 5, "capture_count", batch);
  Dimensions state = {batch, channels, multiply_dimensions(kernel - 1, Dimension(dilation))};
  state = *merge_shapes(state, context.shape(4));
  context.set_output(0, context.element(0), Dimensions{dimension_at(context, 0, 0), channels});
  context.set_output(2, context.element(0), Dimensions{batch, Dimension(capacity), channels});
  context.set_output(1, context.element(0), std::move(state));
}

}  // namespace ortool
