// Versions of Concat; 4 made the axis required, 11 allows negative axes.
#include "libcore/ops/tensor/concat.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/shape_rules.hpp"
#include "libcore/ops/value_rules.hpp"

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
      sum = sum->is_known() && mine.is_known() ? Dimension(add_sizes(sum->number(), mine.number()))
                                               : *sum + mine;
    }
    (*shape)[along] = Dimension();
    result = merge_shapes(result, shape);
  }
  if (result) (*result)[along] = sum.value_or(Dimension());
  return result;
}

std::optional<KnownElements> concat_elements(const InferContext& context, std::int64_t axis) {
  std::vector<KnownTensor> parts;
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < context.input_count(); ++i) {
    std::optional<KnownTensor> part = known_input(context, i);
    if (!part) return std::nullopt;
    count += part->shape.element_count();
    if (count > max_known_elements) return std::nullopt;
    parts.push_back(std::move(*part));
  }
  if (parts.empty()) return std::nullopt;
  const std::int64_t along = normalize_axis(axis, parts.front().shape.rank());
  KnownElements all;
  for (std::int64_t row = 0; row < parts.front().shape.product(0, along); ++row) {
    for (const KnownTensor& part : parts) {
      const std::int64_t length = part.shape.product(along, part.shape.rank());
      const auto first = part.elements.begin() + row * length;
      all.insert(all.end(), first, first + length);
    }
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
  if (result) set_known_output(context, 0, element, concat_elements(context, axis));
}

}  // namespace ortool
