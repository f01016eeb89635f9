// Schemas and shape rules of ONNX Runtime's operators for hyper-connections.
#include "libcore/ops/contrib/attention/hyper_connection.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/nn/attention/attention_heads.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/quantization/quantized_types.hpp"

namespace ortool {
namespace {

std::int64_t read_branches(AttributeReader& attributes) {
  return attributes.integer_in("num_branches", 0, 0, std::int64_t{1} << 31);
}

/// Checks streams with branches in an axis of their own, or in the last one.
void check_streams(const InferContext& context, std::string_view name, std::int64_t branches) {
  check_rank_at_least(context, 0, name, branches > 0 ? 1 : 2);
  const PartialShape shape = context.shape(0);
  if (shape && branches > 0)
    static_cast<void>(head_size(format("the width of '{}'", name), shape->back(), branches));
}

}  // namespace

constinit const OpSchema HyperConnectionPreMix::schema = {
    "HyperConnectionPreMix",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"streams", "T"}, {"pre_mix", "M"}},
      .outputs = {{"output", "T"}},
      .attributes = {{"num_branches", AttributeKind::integer, false, 0},
                     {"reduction_scale", AttributeKind::float_number, false, 1.0F}},
      .types = {{"T", types::scales}, {"M", types::scales}}}}};

void HyperConnectionPreMix::read(AttributeReader& attributes, int) {
  branches = read_branches(attributes);
  scale = attributes.number("reduction_scale", 1);
}

void HyperConnectionPreMix::infer(InferContext& context) const {
  check_streams(context, "streams", branches);
  PartialShape shape = context.shape(0);
  if (shape && branches > 0) {
    shape->back() = floor_divide(shape->back(), Dimension(branches));
  } else if (shape) {
    shape->erase(shape->end() - 2);
  }
  context.set_output(0, context.element(0), std::move(shape));
}

constinit const OpSchema HyperConnectionPostMix::schema = {
    "HyperConnectionPostMix",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"streams", "T"},
                 {"block_output", "T"},
                 {"post_mix", "M"},
                 {"stream_mix", "M", Formal::Count::optional}},
      .outputs = {{"output", "T"}},
      .attributes = {{"num_branches", AttributeKind::integer, false, 0}},
      .types = {{"T", types::scales}, {"M", types::scales}}}}};

void HyperConnectionPostMix::read(AttributeReader& attributes, int) {
  branches = read_branches(attributes);
}

void HyperConnectionPostMix::infer(InferContext& context) const {
  check_streams(context, "streams", branches);
  context.set_output(0, context.element(0), context.shape(0));
}

constinit const OpSchema BranchwiseRMSNorm::schema = {
    "BranchwiseRMSNorm",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"X", "T"}, {"scale", "M", Formal::Count::optional}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"epsilon", AttributeKind::float_number, false, 1e-5F},
                     {"num_branches", AttributeKind::integer, false, 0}},
      .types = {{"T", types::scales}, {"M", types::scales}}}}};

void BranchwiseRMSNorm::read(AttributeReader& attributes, int) {
  branches = read_branches(attributes);
  epsilon = attributes.number("epsilon", 1e-5F);
}

void BranchwiseRMSNorm::infer(InferContext& context) const {
  check_streams(context, "X", branches);
  context.set_output(0, context.element(0), context.shape(0));
}

constinit const OpSchema EngramGate::schema = {
    "EngramGate",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"key", "T"},
                 {"query", "T"},
                 {"value", "T"},
                 {"key_norm_scale", "T"},
                 {"query_norm_scale", "T"},
                 {"conv_norm_scale", "T", Formal::Count::optional}},
      .outputs = {{"output", "T"}, {"gated_value_normed", "T", Formal::Count::optional}},
      .attributes = {{"epsilon", AttributeKind::float_number, false, 1e-5F}},
      .types = {{"T", types::scales}}}}};

void EngramGate::read(AttributeReader& attributes, int) {
  epsilon = attributes.number("epsilon", 1e-5F);
}

void EngramGate::infer(InferContext& context) const {
  check_rank(context, 0, "key", 4);
  check_rank(context, 1, "query", 4);
  check_rank(context, 2, "value", 3);
  if (context.has_output(1) && !context.has_input(5)) {
    throw Error(ErrorCode::invalid,
                "'gated_value_normed' is wanted, but 'conv_norm_scale' is left out");
  }
  context.set_output(0, context.element(0), context.shape(0));
  context.set_output(1, context.element(0), context.shape(0));
}

}  // namespace ortool
