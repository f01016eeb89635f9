// Versions of ScatterND; 16 and 18 added reductions.
#include "libcore/ops/tensor/indexing/scatter_nd.hpp"

#include <optional>

#include "libcore/base/format.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {

constexpr std::initializer_list<Formal> scatter_nd_inputs = {
    {"data", "T"}, {"indices", "tensor(int64)"}, {"updates", "T"}};

constexpr std::initializer_list<AttributeSpec> scatter_nd_attributes = {
    {"reduction", AttributeKind::string, false, "none"}};

constinit const OpSchema ScatterND::schema = {
    "ScatterND",
    "",
    {{.since = 11,
      .inputs = scatter_nd_inputs,
      .outputs = {{"output", "T"}},
      .types = {{"T", types::all_tensors}}},
     {.since = 13,
      .inputs = scatter_nd_inputs,
      .outputs = {{"output", "T"}},
      .types = {{"T", types::all_tensors_and_bfloat16}}},
     {.since = 16,
      .inputs = scatter_nd_inputs,
      .outputs = {{"output", "T"}},
      .attributes = scatter_nd_attributes,
      .types = {{"T", types::all_tensors_and_bfloat16}}},
     {.since = 18,
      .inputs = scatter_nd_inputs,
      .outputs = {{"output", "T"}},
      .attributes = scatter_nd_attributes,
      .types = {{"T", types::all_tensors_and_bfloat16}}}}};

void ScatterND::read(AttributeReader& attributes, int) {
  reduction = read_scatter_reduction(attributes);
}

namespace {

/// The expected shape of 'updates' for data and indices; nothing where they do not determine it.
PartialShape wanted_updates(const PartialShape& data, const PartialShape& indices) {
  if (!data || !indices || !indices->back().is_known()) return std::nullopt;
  const std::int64_t depth = indices->back().number();
  const auto rank = static_cast<std::int64_t>(data->size());
  if (depth > rank) {
    throw Error(ErrorCode::invalid,
                format("the last dimension of 'indices' is {} (expected at most {}, the rank of "
                       "'data')",
                       depth, rank));
  }
  Dimensions shape(indices->begin(), indices->end() - 1);
  shape.insert(shape.end(), data->begin() + depth, data->end());
  return shape;
}

}  // namespace

void ScatterND::infer(InferContext& context) const {
  check_rank_at_least(context, 0, "data", 1);
  check_rank_at_least(context, 1, "indices", 1);
  static_cast<void>(
      merge_shapes(wanted_updates(context.shape(0), context.shape(1)), context.shape(2)));
  context.set_output(0, context.element(0), context.shape(0));
}

}  // namespace ortool
