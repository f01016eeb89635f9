// Schemas of MoE and QMoE, and checks of their operands.
#include "libcore/ops/contrib/weights/moe.hpp"

#include <limits>
#include <string_view>

#include "libcore/base/format.hpp"
#include "libcore/ops/contrib/weights/block_operands.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/quantization/quantized_types.hpp"

namespace ortool {
namespace {

constexpr const char* prepacked_hint = "quantize the model again without prepacking its weights";

constexpr TypeSet code_types = types_of({DataType::uint8, DataType::float8e4m3fn});
constexpr TypeSet scale_types = types::scales_24 | types_of({DataType::float8e4m3fn});

/// Checks a matrix of each expert, `rows` by `columns`, and its bias.
void check_expert_matrix(const InferContext& context, std::int64_t input, std::string_view name,
                         const Dimension& rows, const Dimension& columns) {
  check_rank(context, input, name, 3);
  const Dimension experts = dimension_at(context, 1, 1);
  if (!context.has_input(input)) return;
  check_dimension(format("the experts of '{}'", name), dimension_at(context, input, 0), experts);
  check_dimension(format("axis 1 of '{}'", name), dimension_at(context, input, 1), rows);
  check_dimension(format("axis 2 of '{}'", name), dimension_at(context, input, 2), columns);
}

void check_expert_rows(const InferContext& context, std::int64_t input, std::string_view name,
                       const Dimension& rows) {
  if (!context.has_input(input)) return;
  check_dimension(format("the experts of '{}'", name), dimension_at(context, input, 0),
                  dimension_at(context, 1, 1));
  check_dimension(format("axis 1 of '{}'", name), dimension_at(context, input, 1), rows);
}

/// The tokens' number of channels.
Dimension hidden_size(const InferContext& context) {
  const PartialShape shape = context.shape(0);
  return shape && !shape->empty() ? shape->back() : Dimension();
}

void infer_tokens(InferContext& context, const ExpertLayer& layer) {
  const std::int64_t rank = context.rank(0);
  if (rank >= 0 && rank != 2 && rank != 3)
    throw Error(ErrorCode::invalid, format("'input' has rank {} (expected 2 or 3)", rank));
  check_rank(context, 1, "router_probs", 2);
  const Dimension experts = dimension_at(context, 1, 1);
  if (experts.is_known() && layer.chosen > experts.number()) {
    throw Error(ErrorCode::invalid, format("k is {} (expected at most the {} experts)",
                                           layer.chosen, experts.number()));
  }
  context.set_output(0, context.element(0), context.shape(0));
}

void refuse_gpu_input(const InferContext& context, std::int64_t input, std::string_view name) {
  if (!context.has_input(input)) return;
  throw Error(ErrorCode::unsupported,
              format("there is an input '{}' (expected none: it belongs to float8 or float4 "
                     "weights, which only CUDA multiplies)",
                     name),
              "quantize the experts with quant_type 'int'");
}

}  // namespace

constinit const OpSchema MoE::schema = {
    "MoE",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"input", "T"},
                 {"router_probs", "T"},
                 {"fc1_experts_weights", "T"},
                 {"fc1_experts_bias", "T", Formal::Count::optional},
                 {"fc2_experts_weights", "T"},
                 {"fc2_experts_bias", "T", Formal::Count::optional},
                 {"fc3_experts_weights", "T", Formal::Count::optional},
                 {"fc3_experts_bias", "T", Formal::Count::optional}},
      .outputs = {{"output", "T"}},
      .attributes = {{"activation_alpha", AttributeKind::float_number, false, 1.0F},
                     {"activation_beta", AttributeKind::float_number, false, 0.0F},
                     {"activation_type", AttributeKind::string, false, "relu"},
                     {"k", AttributeKind::integer, false, 1},
                     {"normalize_routing_weights", AttributeKind::integer, false, 0},
                     {"swiglu_fusion", AttributeKind::integer, false, 0},
                     {"swiglu_limit", AttributeKind::float_number},
                     {"use_sparse_mixer", AttributeKind::integer, false, 0}},
      .types = {{"T", types::scales}}}}};

constinit const OpSchema QMoE::schema = {
    "QMoE",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"input", "T"},
                 {"router_probs", "T"},
                 {"fc1_experts_weights", "T1"},
                 {"fc1_scales", "T2", Formal::Count::optional},
                 {"fc1_experts_bias", "T", Formal::Count::optional},
                 {"fc2_experts_weights", "T1"},
                 {"fc2_scales", "T2", Formal::Count::optional},
                 {"fc2_experts_bias", "T", Formal::Count::optional},
                 {"fc3_experts_weights", "T1", Formal::Count::optional},
                 {"fc3_scales", "T2", Formal::Count::optional},
                 {"fc3_experts_bias", "T", Formal::Count::optional},
                 {"fc1_zero_points", "T1", Formal::Count::optional},
                 {"fc2_zero_points", "T1", Formal::Count::optional},
                 {"fc3_zero_points", "T1", Formal::Count::optional},
                 {"router_weights", "T", Formal::Count::optional},
                 {"fc1_global_scale", "T4", Formal::Count::optional},
                 {"fc2_global_scale", "T4", Formal::Count::optional},
                 {"fc1_act_scale", "T4", Formal::Count::optional},
                 {"fc2_act_scale", "T4", Formal::Count::optional},
                 {"fc1_act_block_scale", "T2", Formal::Count::optional},
                 {"fc2_act_block_scale", "T2", Formal::Count::optional}},
      .outputs = {{"output", "T"}},
      .attributes = {{"accuracy_level", AttributeKind::integer, false, 0},
                     {"activation_alpha", AttributeKind::float_number, false, 1.0F},
                     {"activation_beta", AttributeKind::float_number, false, 0.0F},
                     {"activation_type", AttributeKind::string, false, "relu"},
                     {"block_size", AttributeKind::integer},
                     {"expert_weight_bits", AttributeKind::integer, false, 4},
                     {"fc1_expert_weight_bits", AttributeKind::integer},
                     {"fc2_expert_weight_bits", AttributeKind::integer},
                     {"fc3_expert_weight_bits", AttributeKind::integer},
                     {"k", AttributeKind::integer, false, 1},
                     {"normalize_routing_weights", AttributeKind::integer, false, 0},
                     {"quant_type", AttributeKind::string, false, "int"},
                     {"swiglu_fusion", AttributeKind::integer, false, 0},
                     {"swiglu_limit", AttributeKind::float_number},
                     {"use_sparse_mixer", AttributeKind::integer, false, 0},
                     {"weights_prepacked", AttributeKind::integer, false, -1}},
      .types = {{"T", types::scales},
                {"T1", code_types},
                {"T2", scale_types},
                {"T4", types::float32_only}}}}};

void ExpertLayer::read(AttributeReader& attributes) {
  constexpr std::int64_t max_chosen = 1 << 16;
  chosen = attributes.integer_in("k", 1, 1, max_chosen);
  activation = attributes.choice("activation_type", {"relu", "gelu", "silu", "swiglu", "identity"},
                                 Activation::relu);
  gate = static_cast<GateForm>(attributes.integer_in("swiglu_fusion", 0, 0, 2));
  normalizes = attributes.flag("normalize_routing_weights");
  alpha = attributes.number("activation_alpha", 1.0F);
  beta = attributes.number("activation_beta", 0.0F);
  limit = attributes.number("swiglu_limit", std::numeric_limits<float>::infinity());
  if (attributes.flag("use_sparse_mixer")) {
    throw Error(ErrorCode::unsupported,
                "use_sparse_mixer is 1 (expected 0): only CUDA has this choice of experts");
  }
}

void MoE::read(AttributeReader& attributes, int) {
  ExpertLayer::read(attributes);
}

void MoE::infer(InferContext& context) const {
  const Dimension hidden = hidden_size(context);
  const PartialShape second = context.shape(4);
  check_rank(context, 4, "fc2_experts_weights", 3);
  const Dimension inner = second ? (*second)[2] : Dimension();
  check_expert_matrix(context, 2, "fc1_experts_weights", inner * fused(), hidden);
  check_expert_rows(context, 3, "fc1_experts_bias", inner * fused());
  check_expert_matrix(context, 4, "fc2_experts_weights", hidden, inner);
  check_expert_rows(context, 5, "fc2_experts_bias", hidden);
  check_expert_matrix(context, 6, "fc3_experts_weights", inner, hidden);
  check_expert_rows(context, 7, "fc3_experts_bias", inner);
  infer_tokens(context, *this);
}

void QMoE::read(AttributeReader& attributes, int) {
  ExpertLayer::read(attributes);
  const std::string type = attributes.string("quant_type", "int");
  if (type != "int") {
    throw Error(
        ErrorCode::unsupported,
        format("quant_type is '{}' (expected 'int'): only CUDA multiplies such weights", type),
        "quantize the experts with quant_type 'int'");
  }
  constexpr const char* names[] = {"fc1_expert_weight_bits", "fc2_expert_weight_bits",
                                   "fc3_expert_weight_bits"};
  const std::int64_t common = read_block_bits(attributes, "expert_weight_bits");
  for (std::size_t i = 0; i < 3; ++i)
    bits[i] = attributes.has(names[i]) ? read_block_bits(attributes, names[i]) : common;
  if (attributes.integer("block_size", 0) > 0) block_size = read_block_size(attributes);
  constexpr std::int64_t int8_level = 4;
  allows_int8 = attributes.integer("accuracy_level", 0) == int8_level;
  // The layout of raw weights is the same on a CPU.
  if (attributes.integer("weights_prepacked", -1) == 1) {
    throw Error(ErrorCode::unsupported,
                "weights_prepacked is 1 (expected 0 or -1): the weights are in the order of a "
                "CUDA kernel of ONNX Runtime",
                prepacked_hint);
  }
}

void QMoE::refuse_prepacked(const InferContext& context) const {
  const Dimension rows = dimension_at(context, 3, 1);
  const Dimension found[] = {dimension_at(context, 2, 1), dimension_at(context, 2, 2)};
  const Dimension hidden = hidden_size(context);
  for (const Dimension& each : {rows, found[0], found[1], hidden})
    if (!each.is_known()) return;
  const std::int64_t bytes = rows.number() * bits[0] / 8;
  if (found[0] == rows || found[0] != hidden || found[1].number() != bytes) return;
  throw Error(ErrorCode::unsupported,
              format("'fc1_experts_weights' has {} rows for {} rows of scales: the weights are in "
                     "the order of a CUDA kernel of ONNX Runtime",
                     found[0].number(), rows.number()),
              prepacked_hint);
}

void QMoE::infer(InferContext& context) const {
  refuse_prepacked(context);
  for (const auto& [input, name] :
       {std::pair<std::int64_t, std::string_view>(15, "fc1_global_scale"),
        {16, "fc2_global_scale"},
        {17, "fc1_act_scale"},
        {18, "fc2_act_scale"},
        {19, "fc1_act_block_scale"},
        {20, "fc2_act_block_scale"}})
    refuse_gpu_input(context, input, name);
  const Dimension hidden = hidden_size(context);
  const PartialShape second = context.shape(5);
  check_rank(context, 5, "fc2_experts_weights", 3);
  const Dimension inner = second ? (*second)[2] * (8 / bits[1]) : Dimension();
  const auto bytes = [&](const Dimension& size, std::size_t layer) {
    return floor_divide(size * bits[layer], 8);
  };
  check_expert_matrix(context, 2, "fc1_experts_weights", inner * fused(), bytes(hidden, 0));
  check_expert_matrix(context, 5, "fc2_experts_weights", hidden, bytes(inner, 1));
  check_expert_matrix(context, 8, "fc3_experts_weights", inner, bytes(hidden, 2));
  check_expert_rows(context, 3, "fc1_scales", inner * fused());
  check_expert_rows(context, 4, "fc1_experts_bias", inner * fused());
  check_expert_rows(context, 6, "fc2_scales", hidden);
  check_expert_rows(context, 7, "fc2_experts_bias", hidden);
  check_expert_rows(context, 9, "fc3_scales", inner);
  check_expert_rows(context, 10, "fc3_experts_bias", inner);
  infer_tokens(context, *this);
}

}  // namespace ortool
