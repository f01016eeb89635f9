// Schema and shape rule of WordConvEmbedding.
#include "libcore/ops/contrib/legacy/word_conv_embedding.hpp"

#include <utility>

#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {

constinit const OpSchema WordConvEmbedding::schema = {
    "WordConvEmbedding",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"Sequence", "T"}, {"W", "T1"}, {"B", "T1"}, {"C", "T1"}},
      .outputs = {{"Y", "T1"}},
      .attributes = {{"char_embedding_size", AttributeKind::integer},
                     {"conv_window_size", AttributeKind::integer},
                     {"embedding_size", AttributeKind::integer}},
      .types = {{"T", types::int32_only}, {"T1", types::float32_only}}}}};

void WordConvEmbedding::read(AttributeReader& attributes, int) {
  constexpr std::int64_t most = std::int64_t{1} << 31;
  filters = attributes.integer_in("embedding_size", 0, 0, most);
  window = attributes.integer_in("conv_window_size", 0, 0, most);
  vector_size = attributes.integer_in("char_embedding_size", 0, 0, most);
}

void WordConvEmbedding::infer(InferContext& context) const {
  check_rank_at_least(context, 0, "Sequence", 1);
  check_rank(context, 1, "W", 4);
  check_rank(context, 3, "C", 2);
  const Dimension maps = dimension_at(context, 1, 0);
  check_vector(context, 2, "B", maps);
  if (filters > 0) check_dimension("the number of filters of 'W'", maps, filters);
  if (window > 0) check_dimension("the window of 'W'", dimension_at(context, 1, 2), window);
  if (vector_size > 0)
    check_dimension("the size of a character's vector", dimension_at(context, 3, 1), vector_size);
  check_dimension("the second dimension of 'W'", dimension_at(context, 1, 1), 1);
  static_cast<void>(merge_dimensions(dimension_at(context, 1, 3), dimension_at(context, 3, 1)));
  PartialShape shape = context.shape(0);
  if (shape) shape->back() = maps;
  context.set_output(0, context.element(1), std::move(shape));
}

}  // namespace ortool
