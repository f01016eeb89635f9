// Schema and shape rule of CausalConvWithState; the state is one shorter than the kernel.
#include "libcore/ops/nn/conv/causal_conv_with_state.hpp"

#include <utility>

#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {

constinit const OpSchema CausalConvWithState::schema = {
    "CausalConvWithState",
    "",
    {{.since = 27,
      .inputs = {{"input", "T"},
                 {"weight", "T"},
                 {"bias", "T", Formal::Count::optional},
                 {"past_state", "T", Formal::Count::optional}},
      .outputs = {{"output", "T"}, {"present_state", "T"}},
      .attributes = {{"activation", AttributeKind::string, false, "none"}},
      .types = {{"T", types_of({DataType::float32, DataType::float16, DataType::bfloat16})}}}}};

void CausalConvWithState::read(AttributeReader& attributes, int) {
  has_silu = attributes.choice("activation", {"none", "silu", "swish"}, 0) != 0;
}

void CausalConvWithState::infer(InferContext& context) const {
  check_rank(context, 0, "input", 3);
  check_rank(context, 1, "weight", 3);
  check_rank(context, 3, "past_state", 3);
  check_dimension("the middle dimension of 'weight'", dimension_at(context, 1, 1), 1);
  const Dimension kernel = dimension_at(context, 1, 2);
  if (kernel.is_known() && kernel.number() < 1)
    throw Error(ErrorCode::invalid, "the window of 'weight' is empty");
  const Dimension channels =
      merge_dimensions(dimension_at(context, 0, 1), dimension_at(context, 1, 0));
  check_vector(context, 2, "bias", channels);
  Dimensions state = {dimension_at(context, 0, 0), channels, kernel - 1};
  state = *merge_shapes(state, context.shape(3));
  context.set_output(0, context.element(0),
                     Dimensions{state[0], state[1], dimension_at(context, 0, 2)});
  context.set_output(1, context.element(0), std::move(state));
}

}  // namespace ortool
