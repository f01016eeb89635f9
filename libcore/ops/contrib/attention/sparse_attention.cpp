// Schema and shape rule of ONNX Runtime's SparseAttention.
#include "libcore/ops/contrib/attention/sparse_attention.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/nn/attention/attention_heads.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/quantization/quantized_types.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {

constinit const OpSchema SparseAttention::schema = {
    "SparseAttention",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"query", "T"},
                 {"key", "T", Formal::Count::optional},
                 {"value", "T", Formal::Count::optional},
                 {"past_key", "T"},
                 {"past_value", "T"},
                 {"block_row_indices", "M"},
                 {"block_col_indices", "M"},
                 {"total_sequence_length", "M"},
                 {"key_total_sequence_lengths", "M"},
                 {"cos_cache", "T", Formal::Count::optional},
                 {"sin_cache", "T", Formal::Count::optional}},
      .outputs = {{"output", "T"}, {"present_key", "T"}, {"present_value", "T"}},
      .attributes = {{"do_rotary", AttributeKind::integer, false, 0},
                     {"kv_num_heads", AttributeKind::integer, true},
                     {"num_heads", AttributeKind::integer, true},
                     {"rotary_interleaved", AttributeKind::integer, false, 0},
                     {"scale", AttributeKind::float_number},
                     {"sparse_block_size", AttributeKind::integer, true}},
      .types = {{"T", types::scales}, {"M", types::int32_only}}}}};

void SparseAttention::read(AttributeReader& attributes, int) {
  query_heads = read_heads(attributes, "num_heads");
  shared_heads = read_heads(attributes, "kv_num_heads");
  check_head_groups(query_heads, shared_heads);
  block_size = attributes.integer_in("sparse_block_size", 0, 1, std::int64_t{1} << 31);
  for (const char* name : {"do_rotary", "rotary_interleaved", "scale"}) attributes.ignore(name);
}

void SparseAttention::infer(InferContext& context) const {
  check_rank(context, 0, "query", 3);
  check_rank(context, 3, "past_key", 4);
  check_rank(context, 4, "past_value", 4);
  check_rank(context, 5, "block_row_indices", 2);
  check_rank(context, 6, "block_col_indices", 2);
  const Dimension batch = dimension_at(context, 0, 0);
  check_vector(context, 8, "key_total_sequence_lengths", batch);
  const Dimension layouts = dimension_at(context, 5, 0);
  check_dimension("the layouts of 'block_col_indices'", dimension_at(context, 6, 0), layouts);
  if (layouts.is_known() && (layouts.number() < 1 || query_heads % layouts.number() != 0)) {
    throw Error(ErrorCode::invalid, format("there are {} layouts for {} heads (expected a divisor)",
                                           layouts.number(), query_heads));
  }
  const bool is_packed = !context.has_input(1);
  const Dimension size = head_size("the width of 'query'", dimension_at(context, 0, 2),
                                   query_heads + (is_packed ? 2 * shared_heads : 0));
  context.set_output(0, context.element(0),
                     Dimensions{batch, dimension_at(context, 0, 1),
                                multiply_dimensions(size, Dimension(query_heads))});
  context.set_output(1, context.element(0), context.shape(3));
  context.set_output(2, context.element(0), context.shape(4));
}

}  // namespace ortool
