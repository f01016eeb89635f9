// Concat in its versions; 4 made the axis required, 11 let it count from the end.
#include "libcore/ops/tensor/concat.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {
namespace {

constexpr std::initializer_list<Formal> concat_inputs = {{"inputs", "T", Formal::Count::variadic}};

constexpr std::initializer_list<AttributeSpec> concat_attributes = {
    {"axis", AttributeKind::integer, true}};

PartialShape concat_shapes(const InferContext& context, std::int64_t axis) {
  PartialShape result;
  std::optional<Dimension> sum(Dimension(0));
  std::size_t along = 0;
  for (std::int64_t i = 0; i < context.input_count(); ++i) {
    PartialShape shape = context.shape(i);
    if (!shape) {
      sum.reset();
      continue;
    }
    along =
        static_cast<std::size_t>(normalize_axis(axis, static_cast<std::int64_t>(shape->size())));
    if (sum) {
      const Dimension& mine = (*shape)[along];
      if (sum->is_known() && mine.is_known()) {
        sum = add_sizes(sum->number(), mine.number());
      } else {
        sum = combine_dimensions(DimensionOp::add, *sum, mine);
      }
    }
    (*shape)[along] = Dimension();
    result = merge_shapes(result, shape);
  }
  if (result) (*result)[along] = sum.value_or(Dimension());
  return result;
}

std::optional<Dimensions> concat_values(const InferContext& context) {
  Dimensions all;
  for (std::int64_t i = 0; i < context.input_count(); ++i) {
    const std::optional<Dimensions> values = shape_values(context, i);
    if (!values || static_cast<std::int64_t>(all.size() + values->size()) > most_shape_values)
      return std::nullopt;
    all.insert(all.end(), values->begin(), values->end());
  }
  return all;
}

}  // namespace

constinit const OpSchema Concat::schema = {"Concat",
                                           "",
                                           {{.since = 1,
                                             .inputs = concat_inputs,
                                             .outputs = {{"concat_result", "T"}},
                                             .attributes = {{"axis", AttributeKind::integer}},
                                             .types = {{"T", types::high_floats}}},
                                            {.since = 4,
                                             .inputs = concat_inputs,
                                             .outputs = {{"concat_result", "T"}},
                                             .attributes = concat_attributes,
                                             .types = {{"T", types::all_tensors}}},
                                            {.since = 11,
                                             .inputs = concat_inputs,
                                             .outputs = {{"concat_result", "T"}},
                                             .attributes = concat_attributes,
                                             .types = {{"T", types::all_tensors}}},
                                            {.since = 13,
                                             .inputs = concat_inputs,
                                             .outputs = {{"concat_result", "T"}},
                                             .attributes = concat_attributes,
                                             .types = {{"T", types::all_tensors_and_bfloat16}}}}};

void Concat::read(AttributeReader& attributes, int) {
  axis = attributes.integer("axis", 1);
}

void Concat::infer(InferContext& context) const {
  const DataType element = common_element(context, 0, context.input_count());
  const PartialShape result = concat_shapes(context, axis);
  context.set_output(0, element, result);
  if (result && result->size() == 1) set_shape_values(context, element, concat_values(context));
}

}  // namespace ortool
