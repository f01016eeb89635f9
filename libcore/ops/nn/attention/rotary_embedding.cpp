// Schema and shape rule of RotaryEmbedding; the caches hold one angle for each pair.
#include "libcore/ops/nn/attention/rotary_embedding.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/nn/attention/attention_heads.hpp"
#include "libcore/ops/operand_checks.hpp"

namespace ortool {

constinit const OpSchema RotaryEmbedding::schema = {
    "RotaryEmbedding",
    "",
    {{.since = 23,
      .inputs = {{"X", "T"},
                 {"cos_cache", "T"},
                 {"sin_cache", "T"},
                 {"position_ids", "M", Formal::Count::optional}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"interleaved", AttributeKind::integer, false, 0},
                     {"num_heads", AttributeKind::integer},
                     {"rotary_embedding_dim", AttributeKind::integer, false, 0}},
      .types = {{"T", types_of({DataType::float32, DataType::float16, DataType::bfloat16})},
                {"M", types::int64_only}}}}};

void RotaryEmbedding::read(AttributeReader& attributes, int) {
  interleaved = attributes.flag("interleaved");
  heads = attributes.integer_in("num_heads", 0, 0, std::int64_t{1} << 31);
  rotated_size = attributes.integer_in("rotary_embedding_dim", 0, 0, std::int64_t{1} << 31);
  if (rotated_size % 2 != 0) {
    throw Error(ErrorCode::invalid,
                format("rotary_embedding_dim is {} (expected an even number)", rotated_size));
  }
}

void RotaryEmbedding::infer(InferContext& context) const {
  const std::int64_t rank = context.rank(0);
  if (rank >= 0 && rank != 3 && rank != 4) {
    throw Error(ErrorCode::invalid, format("'X' is of rank {} (expected 3 or 4)", rank));
  }
  if (rank == 3 && heads == 0) {
    throw Error(ErrorCode::invalid, "'num_heads' is not given, which an input of rank 3 needs");
  }
  const Dimension size = rank == 3
                             ? head_size("the width of 'X'", dimension_at(context, 0, 2), heads)
                             : dimension_at(context, 0, 3);
  if (rotated_size == 0 && size.is_known() && size.number() % 2 != 0) {
    throw Error(ErrorCode::invalid,
                format("a head has {} elements (expected an even number)", size.number()));
  }
  if (size.is_known() && rotated_size > size.number()) {
    throw Error(ErrorCode::invalid, format("rotary_embedding_dim is {}, but a head has {} elements",
                                           rotated_size, size.number()));
  }
  const Dimension angles = floor_divide(rotated_size == 0 ? size : Dimension(rotated_size), 2);
  const std::int64_t cache_rank = context.has_input(3) ? 2 : 3;
  check_rank(context, 1, "cos_cache", cache_rank);
  check_rank(context, 2, "sin_cache", cache_rank);
  check_dimension("the length of a row of 'cos_cache'", dimension_at(context, 1, cache_rank - 1),
                  angles);
  check_dimension("the length of a row of 'sin_cache'", dimension_at(context, 2, cache_rank - 1),
                  angles);
  check_rank(context, 3, "position_ids", 2);
  context.set_output(0, context.element(0), context.shape(0));
}

}  // namespace ortool
