// Versions of ScatterElements: 16 added the reductions add and mul, 18 max and min, which are
// accepted at 16 too (early_use.hpp).
#include "libcore/ops/tensor/indexing/scatter_elements.hpp"

#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {

constexpr std::initializer_list<Formal> scatter_inputs = {
    {"data", "T"}, {"indices", "Tind"}, {"updates", "T"}};

constexpr std::initializer_list<Formal> scatter_elements_inputs = {
    {"data", "T"}, {"indices", "Tind"}, {"updates", "T"}};

constexpr std::initializer_list<AttributeSpec> scatter_elements_attributes = {
    {"axis", AttributeKind::integer, false, 0},
    {"reduction", AttributeKind::string, false, "none"}};

constinit const OpSchema Scatter::schema = {
    "Scatter",
    "",
    {{.since = 9,
      .inputs = scatter_inputs,
      .outputs = {{"output", "T"}},
      .attributes = {{"axis", AttributeKind::integer, false, 0}},
      .types = {{"T", types::all_tensors}, {"Tind", types::indices}}},
     {.since = 11,
      .inputs = scatter_inputs,
      .outputs = {{"output", "T"}},
      .attributes = {{"axis", AttributeKind::integer, false, 0}},
      .types = {{"T", types::all_tensors}, {"Tind", types::indices}},
      .is_deprecated = true}}};

constinit const OpSchema ScatterElements::schema = {
    "ScatterElements",
    "",
    {{.since = 11,
      .inputs = scatter_elements_inputs,
      .outputs = {{"output", "T"}},
      .attributes = {{"axis", AttributeKind::integer, false, 0}},
      .types = {{"T", types::all_tensors}, {"Tind", types::indices}}},
     {.since = 13,
      .inputs = scatter_elements_inputs,
      .outputs = {{"output", "T"}},
      .attributes = {{"axis", AttributeKind::integer, false, 0}},
      .types = {{"T", types::all_tensors_and_bfloat16}, {"Tind", types::indices}}},
     {.since = 16,
      .inputs = scatter_elements_inputs,
      .outputs = {{"output", "T"}},
      .attributes = scatter_elements_attributes,
      .types = {{"T", types::all_tensors_and_bfloat16}, {"Tind", types::indices}}},
     {.since = 18,
      .inputs = scatter_elements_inputs,
      .outputs = {{"output", "T"}},
      .attributes = scatter_elements_attributes,
      .types = {{"T", types::all_tensors_and_bfloat16}, {"Tind", types::indices}}}}};

ScatterReduction read_scatter_reduction(AttributeReader& attributes) {
  return attributes.choice("reduction", {"none", "add", "mul", "max", "min"},
                           ScatterReduction::none);
}

void ScatterElements::read(AttributeReader& attributes, int) {
  axis = attributes.integer("axis", 0);
  reduction = read_scatter_reduction(attributes);
}

void ScatterElements::infer(InferContext& context) const {
  check_rank_at_least(context, 0, "data", 1);
  static_cast<void>(merge_shapes(context.shape(1), context.shape(2)));
  if (context.rank(0) > 0) {
    normalize_axis(axis, context.rank(0));
    check_rank(context, 1, "indices", context.rank(0));
  }
  context.set_output(0, context.element(0), context.shape(0));
}

}  // namespace ortool
