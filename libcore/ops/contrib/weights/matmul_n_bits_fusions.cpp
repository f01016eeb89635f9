// Schemas of MatMulNBitsMlp and MatMulNBitsQkv, and checks of their operands.
#include "libcore/ops/contrib/weights/matmul_n_bits_fusions.hpp"

#include <string>

#include "libcore/base/format.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/quantization/quantized_types.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {
namespace {

constexpr std::initializer_list<TypeParameter> fusion_types = {{"T1", types::scales},
                                                               {"T2", types_of({DataType::uint8})}};

std::int64_t read_accuracy_level(AttributeReader& attributes) {
  return attributes.integer_in("accuracy_level", 0, 0, 4);
}

/// The sum of A and skip, which is output `output`.
void infer_sum(InferContext& context, std::int64_t output) {
  if (!context.has_output(output)) return;
  const std::int64_t last = context.has_input(1) ? 2 : 1;
  context.set_output(output, context.element(0), broadcast_inputs(context, 0, last));
}

}  // namespace

constinit const OpSchema MatMulNBitsMlp::schema = {
    "MatMulNBitsMlp",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"A", "T1"},
                 {"skip", "T1", Formal::Count::optional},
                 {"norm_scale", "T1", Formal::Count::optional},
                 {"gate_B", "T2"},
                 {"gate_scales", "T1"},
                 {"gate_bias", "T1", Formal::Count::optional},
                 {"up_B", "T2"},
                 {"up_scales", "T1"},
                 {"up_bias", "T1", Formal::Count::optional}},
      .outputs = {{"Y", "T1"}, {"input_skip_bias_sum", "T1", Formal::Count::optional}},
      .attributes = {{"K", AttributeKind::integer, true},
                     {"N", AttributeKind::integer, true},
                     {"accuracy_level", AttributeKind::integer, false, 0},
                     {"activation", AttributeKind::string, true},
                     {"bits", AttributeKind::integer, false, 4},
                     {"block_size", AttributeKind::integer, true},
                     {"epsilon", AttributeKind::float_number, false, 1e-5F}},
      .types = fusion_types}}};

constinit const OpSchema MatMulNBitsQkv::schema = {
    "MatMulNBitsQkv",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"A", "T1"},
                 {"skip", "T1", Formal::Count::optional},
                 {"norm_scale", "T1"},
                 {"q_B", "T2"},
                 {"q_scales", "T1"},
                 {"q_bias", "T1", Formal::Count::optional},
                 {"k_B", "T2"},
                 {"k_scales", "T1"},
                 {"k_bias", "T1", Formal::Count::optional},
                 {"v_B", "T2"},
                 {"v_scales", "T1"},
                 {"v_bias", "T1", Formal::Count::optional}},
      .outputs = {{"Q", "T1"},
                  {"K", "T1"},
                  {"V", "T1"},
                  {"input_skip_bias_sum", "T1", Formal::Count::optional}},
      .attributes = {{"K", AttributeKind::integer, true},
                     {"Nkv", AttributeKind::integer, true},
                     {"Nq", AttributeKind::integer, true},
                     {"accuracy_level", AttributeKind::integer, false, 0},
                     {"bits", AttributeKind::integer, false, 4},
                     {"block_size", AttributeKind::integer, true},
                     {"epsilon", AttributeKind::float_number, false, 1e-6F}},
      .types = fusion_types}}};

void MatMulNBitsMlp::read(AttributeReader& attributes, int) {
  blocks.k = read_block_count(attributes, "K");
  blocks.n = read_block_count(attributes, "N");
  blocks.bits = read_block_bits(attributes);
  blocks.block_size = read_block_size(attributes);
  accuracy_level = read_accuracy_level(attributes);
  epsilon = attributes.number("epsilon", 1e-5F);
  const std::string activation = attributes.string("activation", "silu");
  if (activation != "silu") {
    throw Error(ErrorCode::unsupported,
                format("activation is '{}' (expected silu, the only one defined)", activation));
  }
}

void MatMulNBitsMlp::infer(InferContext& context) const {
  blocks.check_codes(context, 3, "gate_B");
  blocks.check_scales(context, 4, "gate_scales");
  check_vector(context, 5, "gate_bias", Dimension(blocks.n));
  blocks.check_codes(context, 6, "up_B");
  blocks.check_scales(context, 7, "up_scales");
  check_vector(context, 8, "up_bias", Dimension(blocks.n));
  check_vector(context, 2, "norm_scale", Dimension(blocks.k));
  set_product_output(context, blocks.k, Dimension(blocks.n));
  infer_sum(context, 1);
}

void MatMulNBitsQkv::read(AttributeReader& attributes, int) {
  blocks.k = read_block_count(attributes, "K");
  blocks.n = read_block_count(attributes, "Nq");
  kv_columns = read_block_count(attributes, "Nkv");
  blocks.bits = read_block_bits(attributes);
  blocks.block_size = read_block_size(attributes);
  accuracy_level = read_accuracy_level(attributes);
  epsilon = attributes.number("epsilon", 1e-6F);
}

void MatMulNBitsQkv::infer(InferContext& context) const {
  constexpr const char* names[] = {"q", "k", "v"};
  BlockOperands matrix = blocks;
  for (std::int64_t i = 0; i < 3; ++i) {
    matrix.n = i == 0 ? blocks.n : kv_columns;
    const std::int64_t first = 3 + 3 * i;
    const std::string_view name = names[i];
    matrix.check_codes(context, first, format("{}_B", name));
    matrix.check_scales(context, first + 1, format("{}_scales", name));
    check_vector(context, first + 2, format("{}_bias", name), Dimension(matrix.n));
    if (context.has_output(i)) set_product_output(context, i, blocks.k, Dimension(matrix.n));
  }
  check_vector(context, 2, "norm_scale", Dimension(blocks.k));
  infer_sum(context, 3);
}

}  // namespace ortool
