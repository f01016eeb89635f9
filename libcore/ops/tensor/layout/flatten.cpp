// Versions of Flatten; 11 allows negative axes.
#include "libcore/ops/tensor/layout/flatten.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/shape_rules.hpp"
#include "libcore/ops/value_rules.hpp"

namespace ortool {
namespace {

constexpr std::initializer_list<AttributeSpec> flatten_attributes = {
    {"axis", AttributeKind::integer, false, 1}};

}  // namespace

constinit const OpSchema Flatten::schema = {"Flatten",
                                            "",
                                            {{.since = 1,
                                              .inputs = {{"input", "T"}},
                                              .outputs = {{"output", "T"}},
                                              .attributes = flatten_attributes,
                                              .types = {{"T", types::high_floats}}},
                                             {.since = 9,
                                              .inputs = {{"input", "T"}},
                                              .outputs = {{"output", "T"}},
                                              .attributes = flatten_attributes,
                                              .types = {{"T", types::all_tensors}}},
                                             {.since = 11,
                                              .inputs = {{"input", "T"}},
                                              .outputs = {{"output", "T"}},
                                              .attributes = flatten_attributes,
                                              .types = {{"T", types::all_tensors}}},
                                             {.since = 13,
                                              .inputs = {{"input", "T"}},
                                              .outputs = {{"output", "T"}},
                                              .attributes = flatten_attributes,
                                              .types = {{"T", types::all_tensors_and_bfloat16}}},
                                             {.since = 21,
                                              .inputs = {{"input", "T"}},
                                              .outputs = {{"output", "T"}},
                                              .attributes = flatten_attributes,
                                              .types = {{"T", types::all_tensors_ir10}}},
                                             {.since = 23,
                                              .inputs = {{"input", "T"}},
                                              .outputs = {{"output", "T"}},
                                              .attributes = flatten_attributes,
                                              .types = {{"T", types::all_tensors_ir11}}},
                                             {.since = 24,
                                              .inputs = {{"input", "T"}},
                                              .outputs = {{"output", "T"}},
                                              .attributes = flatten_attributes,
                                              .types = {{"T", types::all_tensors_ir12}}},
                                             {.since = 25,
                                              .inputs = {{"input", "T"}},
                                              .outputs = {{"output", "T"}},
                                              .attributes = flatten_attributes,
                                              .types = {{"T", types::all_tensors_ir13}}}}};

void Flatten::read(AttributeReader& attributes, int version) {
  axis = attributes.integer("axis", 1);
  if (version < 11 && axis < 0) {
    throw Error(ErrorCode::invalid, format("attribute 'axis' is {} (expected 0 or more)", axis));
  }
}

void Flatten::infer(InferContext& context) const {
  const PartialShape shape = context.shape(0);
  if (!shape) {
    context.set_output(0, context.element(0), Dimensions(2));
    return;
  }
  const auto rank = static_cast<std::int64_t>(shape->size());
  const std::int64_t cut = axis == rank ? rank : normalize_axis(axis, rank);
  const std::span<const Dimension> all(*shape);
  const auto position = static_cast<std::size_t>(cut);
  context.set_output(0, context.element(0),
                     Dimensions{multiply_dimensions(all.first(position)),
                                multiply_dimensions(all.subspan(position))});
  keep_elements(context);
}

}  // namespace ortool
