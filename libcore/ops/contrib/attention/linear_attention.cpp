// Schemas of ONNX Runtime's LinearAttention, CausalConvWithState and their gates.
#include "libcore/ops/contrib/attention/linear_attention.hpp"

#include <algorithm>

#include "libcore/base/format.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/nn/attention/attention_heads.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/quantization/quantized_types.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {
namespace {

std::int64_t read_window(AttributeReader& attributes) {
  constexpr std::int64_t most = 8;
  return attributes.integer_in("state_window", 0, 0, most);
}

}  // namespace

constinit const OpSchema ContribLinearAttention::schema = {
    "LinearAttention",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"query", "T"},
                 {"key", "T"},
                 {"value", "T"},
                 {"past_state", "S", Formal::Count::optional},
                 {"decay", "T", Formal::Count::optional},
                 {"beta", "T", Formal::Count::optional}},
      .outputs = {{"output", "T"}, {"present_state", "S"}},
      .attributes = {{"chunk_size", AttributeKind::integer, false, 64},
                     {"kv_num_heads", AttributeKind::integer, true},
                     {"q_num_heads", AttributeKind::integer, true},
                     {"scale", AttributeKind::float_number, false, 0.0F},
                     {"state_window", AttributeKind::integer, false, 0},
                     {"update_rule", AttributeKind::string, false, "gated_delta"}},
      .types = {{"T", types::scales}, {"S", types::scales}}}}};

void ContribLinearAttention::read(AttributeReader& attributes, int) {
  state_window = read_window(attributes);
  query_heads = read_heads(attributes, "q_num_heads");
  shared_heads = read_heads(attributes, "kv_num_heads");
  shares_keys = true;
  if (query_heads % shared_heads != 0 && shared_heads % query_heads != 0) {
    throw Error(ErrorCode::invalid,
                format("there are {} query heads for {} heads of values (expected a multiple or a "
                       "divisor)",
                       query_heads, shared_heads));
  }
  read_rule(attributes);
}

constinit const OpSchema ContribCausalConvWithState::schema = {
    "CausalConvWithState",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"input", "T"},
                 {"weight", "T"},
                 {"bias", "T", Formal::Count::optional},
                 {"past_state", "T", Formal::Count::optional}},
      .outputs = {{"output", "T"}, {"present_state", "T"}},
      .attributes = {{"activation", AttributeKind::string, false, "none"},
                     {"channels_last", AttributeKind::integer, false, 0},
                     {"dilation", AttributeKind::integer, false, 1},
                     {"ndim", AttributeKind::integer, false, 1},
                     {"state_window", AttributeKind::integer, false, 0}},
      .types = {{"T", types::scales}}}}};

void ContribCausalConvWithState::read(AttributeReader& attributes, int version) {
  state_window = read_window(attributes);
  CausalConvWithState::read(attributes, version);
  dilation = attributes.integer_in("dilation", 1, 1, std::int64_t{1} << 31);
  has_channels_last = attributes.flag("channels_last");
  const std::int64_t rank = attributes.integer_in("ndim", 1, 1, 3);
  if (rank != 1) {
    throw Error(ErrorCode::unsupported,
                format("attribute 'ndim' is {} (expected 1, as in ONNX Runtime's kernels)", rank));
  }
}

void ContribCausalConvWithState::infer(InferContext& context) const {
  if (!has_channels_last && dilation == 1 && state_window == 0)
    return CausalConvWithState::infer(context);
  check_rank(context, 1, "weight", 3);
  if (!has_channels_last) check_rank(context, 0, "input", 3);
  check_rank_at_least(context, 0, "input", 3);
  check_dimension("the middle dimension of 'weight'", dimension_at(context, 1, 1), 1);
  const Dimension kernel = dimension_at(context, 1, 2);
  if (kernel.is_known() && kernel.number() < 1)
    throw Error(ErrorCode::invalid, "the window of 'weight' is empty");
  check_vector(context, 2, "bias", dimension_at(context, 1, 0));
  const PartialShape shape = context.shape(0);
  PartialShape state = shape;
  if (state) {
    (*state)[has_channels_last ? 1 : 2] = multiply_dimensions(kernel - 1, Dimension(dilation));
    if (state_window > 0) state->insert(state->begin(), Dimension(state_window));
    if (context.has_input(3)) static_cast<void>(merge_shapes(state, context.shape(3)));
  }
  context.set_output(0, context.element(0), shape);
  context.set_output(1, context.element(0), std::move(state));
}

constinit const OpSchema LinearAttentionGate::schema = {
    "LinearAttentionGate",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"a", "T"},
                 {"dt_bias", "TF"},
                 {"decay_scale", "TF"},
                 {"b", "T", Formal::Count::optional}},
      .outputs = {{"decay", "T"}, {"beta", "T", Formal::Count::optional}},
      .types = {{"T", types::scales}, {"TF", types::float32_only}}}}};

void LinearAttentionGate::infer(InferContext& context) const {
  check_rank_at_least(context, 0, "a", 1);
  const PartialShape shape = context.shape(0);
  if (shape) {
    check_vector(context, 1, "dt_bias", shape->back());
    check_vector(context, 2, "decay_scale", shape->back());
  }
  if (context.has_output(1) && !context.has_input(3))
    throw Error(ErrorCode::invalid, "'beta' is wanted, but 'b' is left out");
  context.set_output(0, context.element(0), shape);
  context.set_output(1, context.element(0), context.shape(3));
}

constinit const OpSchema GatedRMSNorm::schema = {
    "GatedRMSNorm",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"X", "T"}, {"scale", "T"}, {"gate", "T"}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"activation", AttributeKind::string, false, "silu"},
                     {"epsilon", AttributeKind::float_number, false, 1e-5F}},
      .types = {{"T", types::scales}}}}};

void GatedRMSNorm::read(AttributeReader& attributes, int) {
  has_sigmoid = attributes.choice("activation", {"silu", "swish", "sigmoid"}, 0) == 2;
  epsilon = attributes.number("epsilon", 1e-5F);
}

void GatedRMSNorm::infer(InferContext& context) const {
  check_rank_at_least(context, 0, "X", 1);
  check_rank(context, 1, "scale", 1);
  const PartialShape shape = context.shape(0);
  const Dimension group = dimension_at(context, 1, 0);
  if (group.is_known() && group.number() < 1)
    throw Error(ErrorCode::invalid, "'scale' is empty (expected the elements of a group)");
  if (shape && group.is_known())
    static_cast<void>(head_size("the width of 'X'", shape->back(), group.number()));
  check_broadcasts_to(context, 2, "gate", shape);
  context.set_output(0, context.element(0), shape);
}

constinit const OpSchema GatedAdd::schema = {"GatedAdd",
                                             contrib_domain,
                                             {{.since = 1,
                                               .inputs = {{"X", "T"}, {"Y", "T"}, {"gate", "T"}},
                                               .outputs = {{"output", "T"}},
                                               .types = {{"T", types::scales}}}}};

void GatedAdd::infer(InferContext& context) const {
  check_broadcasts_to(context, 1, "Y", context.shape(0));
  check_broadcasts_to(context, 2, "gate", context.shape(0));
  context.set_output(0, context.element(0), context.shape(0));
}

}  // namespace ortool
