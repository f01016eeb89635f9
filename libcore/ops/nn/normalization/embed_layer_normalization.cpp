// Schema and shape rule of EmbedLayerNormalization.
#include "libcore/ops/nn/normalization/embed_layer_normalization.hpp"

#include <array>
#include <string_view>

#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {

constinit const OpSchema EmbedLayerNormalization::schema = {
    "EmbedLayerNormalization",
    "ortool",
    {{.since = 1,
      .inputs = {{"Scale", "T"},
                 {"Bias", "T", Formal::Count::optional},
                 {"A", "T"},
                 {"IndicesA", "IA", Formal::Count::optional},
                 {"B", "T"},
                 {"IndicesB", "IB", Formal::Count::optional},
                 {"C", "T", Formal::Count::optional},
                 {"IndicesC", "IC", Formal::Count::optional}},
      .outputs = {{"Y", "T"}, {"Sum", "T", Formal::Count::optional}},
      .attributes = {{"epsilon", AttributeKind::float_number, false, 1e-05F}},
      .types = {{"T", types::floats},
                {"IA", types::indices},
                {"IB", types::indices},
                {"IC", types::indices}}}}};

void EmbedLayerNormalization::read(AttributeReader& attributes, int) {
  epsilon = attributes.number("epsilon", 1e-5F);
}

void EmbedLayerNormalization::infer(InferContext& context) const {
  constexpr std::array<std::string_view, max_terms> names = {"A", "B", "C"};
  PartialShape shape = Dimensions();
  Dimension size;
  for (std::int64_t i = 0; i < max_terms; ++i) {
    const std::int64_t table = first_table + 2 * i;
    if (!context.has_input(table)) continue;
    const std::string_view name = names[static_cast<std::size_t>(i)];
    check_rank_at_least(context, table, name, 1);
    PartialShape places = context.shape(table);
    if (places) {
      size = merge_dimensions(size, places->back());
      places->pop_back();
    }
    if (context.has_input(table + 1)) {
      check_rank(context, table, name, 2);
      places = context.shape(table + 1);
    }
    shape = broadcast_shapes(shape, places);
  }
  check_vector(context, 0, "Scale", size);
  if (context.has_input(1)) check_vector(context, 1, "Bias", size);
  if (shape) {
    shape->push_back(size);
    check_output_rank(shape->size());
  }
  context.set_output(0, context.element(0), shape);
  context.set_output(1, context.element(0), std::move(shape));
}

}  // namespace ortool
