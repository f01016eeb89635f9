// Schemas and shape rules of attention in int8.
#include "libcore/ops/contrib/quantized/qordered_attention.hpp"

#include <string_view>
#include <vector>

#include "libcore/base/format.hpp"
#include "libcore/ops/contrib/attention/longformer_attention.hpp"
#include "libcore/ops/contrib/quantized/matrix_layout.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/nn/attention/attention_heads.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/quantization/granularity.hpp"

namespace ortool {
namespace {

constexpr auto may_be_absent = Formal::Count::optional;
constexpr TypeSet attention_codes = types_of({DataType::int8});

void check_attention_layouts(AttributeReader& attributes) {
  const auto check = [&](std::string_view name, MatrixLayout expected) {
    check_matrix_layout(name, read_matrix_layout(attributes, name), expected);
  };
  check("order_input", MatrixLayout::rows);
  check("order_weight", MatrixLayout::columns);
  check("order_output", MatrixLayout::rows);
  if (attributes.knows("order_global_weight")) check("order_global_weight", MatrixLayout::columns);
}

}  // namespace

constinit const OpSchema QOrderedAttention::schema = {
    "QOrderedAttention",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"input", "Q"},
                 {"scale_input", "S"},
                 {"scale_Q_gemm", "S"},
                 {"scale_K_gemm", "S"},
                 {"scale_V_gemm", "S"},
                 {"Q_weight", "Q"},
                 {"K_weight", "Q"},
                 {"V_weight", "Q"},
                 {"scale_Q_weight", "S"},
                 {"scale_K_weight", "S"},
                 {"scale_V_weight", "S"},
                 {"Q_bias", "S"},
                 {"K_bias", "S"},
                 {"V_bias", "S"},
                 {"scale_QKT_gemm", "S", may_be_absent},
                 {"scale_QKT_softmax", "S", may_be_absent},
                 {"scale_values_gemm", "S"},
                 {"mask_index", "G", may_be_absent},
                 {"past", "Q", may_be_absent},
                 {"attention_bias", "S", may_be_absent}},
      .outputs = {{"output", "Q"}},
      .attributes = {{"num_heads", AttributeKind::integer, true},
                     {"order_input", AttributeKind::integer, true},
                     {"order_output", AttributeKind::integer, true},
                     {"order_weight", AttributeKind::integer, true},
                     {"qkv_hidden_sizes", AttributeKind::integers},
                     {"unidirectional", AttributeKind::integer, false, 0}},
      .types = {{"Q", attention_codes}, {"S", types::float32_only}, {"G", types::int32_only}}}}};

void QOrderedAttention::read(AttributeReader& attributes, int) {
  heads = read_heads(attributes, "num_heads");
  is_causal = attributes.flag("unidirectional");
  attributes.ignore("qkv_hidden_sizes");  // the widths of the matrices
  check_attention_layouts(attributes);
}

void QOrderedAttention::infer(InferContext& context) const {
  check_rank(context, 0, "input", 3);
  for (const std::int64_t single : {1, 2, 3, 4, 14, 15, 16}) check_single(context, single, "scale");
  if (!context.has_input(14) || !context.has_input(15))
    throw Error(ErrorCode::unsupported, "the scores or their softmax have no scale",
                "give inputs 'scale_QKT_gemm' and 'scale_QKT_softmax'");
  if (context.has_input(18) || context.has_input(19))
    throw Error(ErrorCode::unsupported, "inputs 'past' and 'attention_bias' are not supported",
                "no runtime computes them; use Attention on dequantized values");
  Dimension width;
  for (std::int64_t i = 0; i < 3; ++i) {
    check_rank(context, 5 + i, "weight", 2);
    check_dimension("the rows of a weight", dimension_at(context, 5 + i, 0),
                    dimension_at(context, 0, 2));
    width = dimension_at(context, 5 + i, 1);
    static_cast<void>(head_size("the columns of a weight", width, heads));
    check_one_or_vector(context, 8 + i, "the scale of a weight", width);
    check_vector(context, 11 + i, "bias", width);
  }
  check_dimension("the columns of 'K_weight'", dimension_at(context, 6, 1),
                  dimension_at(context, 5, 1));
  const std::int64_t mask_rank = context.rank(17);
  if (mask_rank == 1 || mask_rank > 3)
    throw Error(ErrorCode::unsupported,
                format("'mask_index' has rank {} (expected 2 or 3)", mask_rank),
                "give a mask of batch x keys, or batch x queries x keys");
  context.set_output(0, DataType::int8,
                     Dimensions{dimension_at(context, 0, 0), dimension_at(context, 0, 1), width});
}

constinit const OpSchema QOrderedLongformerAttention::schema = {
    "QOrderedLongformerAttention",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"input", "Q"},
                 {"scale_input", "S"},
                 {"weight", "Q"},
                 {"scale_weight", "S"},
                 {"bias", "S"},
                 {"scale_bias", "S"},
                 {"scale_qkv_gemm", "S"},
                 {"mask", "F"},
                 {"global_weight", "Q"},
                 {"scale_global_weight", "S"},
                 {"global_bias", "S"},
                 {"scale_global_gemm", "S"},
                 {"global", "G"},
                 {"scale_output", "S"}},
      .outputs = {{"output", "Q"}},
      .attributes = {{"num_heads", AttributeKind::integer, true},
                     {"order_global_weight", AttributeKind::integer, true},
                     {"order_input", AttributeKind::integer, true},
                     {"order_output", AttributeKind::integer, true},
                     {"order_weight", AttributeKind::integer, true},
                     {"window", AttributeKind::integer, true}},
      .types = {{"Q", attention_codes},
                {"S", types::float32_only},
                {"G", types::int32_only},
                {"F", types_of({DataType::float16})}}}}};

void QOrderedLongformerAttention::read(AttributeReader& attributes, int) {
  heads = read_heads(attributes, "num_heads");
  window = attributes.integer_in("window", 1, 1, std::int64_t{1} << 31);
  check_attention_layouts(attributes);
}

void QOrderedLongformerAttention::infer(InferContext& context) const {
  for (const std::int64_t single : {1, 3, 6, 9, 11, 13}) check_single(context, single, "scale");
  LongformerAttention::check_operands(context, {heads, window, 2, 4, 7, 8, 10, 12});
  context.set_output(0, DataType::int8, context.shape(0));
}

}  // namespace ortool
