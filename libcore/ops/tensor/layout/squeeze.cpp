// Versions of Squeeze and Unsqueeze; 13 made the axes an input.
#include "libcore/ops/tensor/layout/squeeze.hpp"

#include <algorithm>

#include "libcore/base/format.hpp"
#include "libcore/ops/shape_rules.hpp"
#include "libcore/ops/value_rules.hpp"

namespace ortool {
namespace {

constexpr std::initializer_list<Formal> squeeze_inputs = {
    {"data", "T"}, {"axes", "tensor(int64)", Formal::Count::optional}};

constexpr std::initializer_list<AttributeSpec> squeeze_attributes = {
    {"axes", AttributeKind::integers}};

constexpr std::initializer_list<Formal> unsqueeze_inputs = {{"data", "T"},
                                                            {"axes", "tensor(int64)"}};

constexpr std::initializer_list<AttributeSpec> unsqueeze_attributes = {
    {"axes", AttributeKind::integers, true}};

bool is_one(const Dimension& dimension) {
  return dimension.is_known() && dimension.number() == 1;
}

/// Without axes, every dimension of 1 is removed; an unknown dimension leaves the rank unknown.
PartialShape squeeze_ones(const Dimensions& shape) {
  Dimensions result;
  for (const Dimension& dimension : shape) {
    if (!dimension.is_known() && !is_at_least(dimension, 2)) return std::nullopt;
    if (!is_one(dimension)) result.push_back(dimension);
  }
  return result;
}

PartialShape squeeze_axes(const Dimensions& shape, const std::vector<std::int64_t>& axes) {
  std::vector<bool> goes(shape.size());
  const auto rank = static_cast<std::int64_t>(shape.size());
  for (const std::int64_t axis : axes) {
    const auto position = static_cast<std::size_t>(normalize_axis(axis, rank));
    const Dimension& dimension = shape[position];
    if (dimension.is_known() && !is_one(dimension)) {
      throw Error(ErrorCode::invalid, format("axis {} has size {} and cannot be squeezed "
                                             "(expected 1)",
                                             axis, dimension.number()));
    }
    goes[position] = true;
  }
  Dimensions result;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (!goes[i]) result.push_back(shape[i]);
  }
  return result;
}

PartialShape unsqueeze_axes(const Dimensions& shape, const std::vector<std::int64_t>& axes) {
  const std::size_t rank = shape.size() + axes.size();
  if (rank > static_cast<std::size_t>(Shape::max_dimensions)) {
    throw Error(ErrorCode::invalid,
                format("the output would have rank {} (at most {})", rank, Shape::max_dimensions));
  }
  std::vector<bool> is_new(rank);
  for (const std::int64_t axis : normalize_axes(axes, static_cast<std::int64_t>(rank)))
    is_new[static_cast<std::size_t>(axis)] = true;
  Dimensions result;
  auto next = shape.begin();
  for (std::size_t i = 0; i < rank; ++i) result.push_back(is_new[i] ? Dimension(1) : *next++);
  return result;
}

}  // namespace

constinit const OpSchema Squeeze::schema = {"Squeeze",
                                            "",
                                            {{.since = 1,
                                              .inputs = {{"data", "T"}},
                                              .outputs = {{"squeezed", "T"}},
                                              .attributes = squeeze_attributes,
                                              .types = {{"T", types::all_tensors}}},
                                             {.since = 11,
                                              .inputs = {{"data", "T"}},
                                              .outputs = {{"squeezed", "T"}},
                                              .attributes = squeeze_attributes,
                                              .types = {{"T", types::all_tensors}}},
                                             {.since = 13,
                                              .inputs = squeeze_inputs,
                                              .outputs = {{"squeezed", "T"}},
                                              .types = {{"T", types::all_tensors_and_bfloat16}}},
                                             {.since = 21,
                                              .inputs = squeeze_inputs,
                                              .outputs = {{"squeezed", "T"}},
                                              .types = {{"T", types::all_tensors_ir10}}},
                                             {.since = 23,
                                              .inputs = squeeze_inputs,
                                              .outputs = {{"squeezed", "T"}},
                                              .types = {{"T", types::all_tensors_ir11}}},
                                             {.since = 24,
                                              .inputs = squeeze_inputs,
                                              .outputs = {{"squeezed", "T"}},
                                              .types = {{"T", types::all_tensors_ir12}}},
                                             {.since = 25,
                                              .inputs = squeeze_inputs,
                                              .outputs = {{"squeezed", "T"}},
                                              .types = {{"T", types::all_tensors_ir13}}}}};

constinit const OpSchema Unsqueeze::schema = {"Unsqueeze",
                                              "",
                                              {{.since = 1,
                                                .inputs = {{"data", "T"}},
                                                .outputs = {{"expanded", "T"}},
                                                .attributes = unsqueeze_attributes,
                                                .types = {{"T", types::all_tensors}}},
                                               {.since = 11,
                                                .inputs = {{"data", "T"}},
                                                .outputs = {{"expanded", "T"}},
                                                .attributes = unsqueeze_attributes,
                                                .types = {{"T", types::all_tensors}}},
                                               {.since = 13,
                                                .inputs = unsqueeze_inputs,
                                                .outputs = {{"expanded", "T"}},
                                                .types = {{"T", types::all_tensors_and_bfloat16}}},
                                               {.since = 21,
                                                .inputs = unsqueeze_inputs,
                                                .outputs = {{"expanded", "T"}},
                                                .types = {{"T", types::all_tensors_ir10}}},
                                               {.since = 23,
                                                .inputs = unsqueeze_inputs,
                                                .outputs = {{"expanded", "T"}},
                                                .types = {{"T", types::all_tensors_ir11}}},
                                               {.since = 24,
                                                .inputs = unsqueeze_inputs,
                                                .outputs = {{"expanded", "T"}},
                                                .types = {{"T", types::all_tensors_ir12}}},
                                               {.since = 25,
                                                .inputs = unsqueeze_inputs,
                                                .outputs = {{"expanded", "T"}},
                                                .types = {{"T", types::all_tensors_ir13}}}}};

void Squeeze::read(AttributeReader& attributes, int) {
  axes = attributes.integers_or_input("axes", 1);
}

void Squeeze::infer(InferContext& context) const {
  const PartialShape shape = context.shape(0);
  PartialShape result;
  if (shape && !axes.is_given()) {
    result = squeeze_ones(*shape);
  } else if (shape) {
    if (const auto known = known_integers(context, axes)) {
      result = squeeze_axes(*shape, *known);
    } else if (const auto count = shape_values(context, axes.input);
               count && count->size() <= std::min<std::size_t>(1, shape->size())) {
      // Several axes may be the same one, said twice.
      result = Dimensions(shape->size() - count->size());
    }
  }
  context.set_output(0, context.element(0), std::move(result));
  keep_elements(context);
}

void Unsqueeze::read(AttributeReader& attributes, int) {
  axes = attributes.integers_or_input("axes", 1);
}

void Unsqueeze::infer(InferContext& context) const {
  const PartialShape shape = context.shape(0);
  PartialShape result;
  if (shape) {
    if (const auto known = known_integers(context, axes)) {
      result = unsqueeze_axes(*shape, *known);
    } else if (const auto count = shape_values(context, axes.input);
               count && shape->size() + count->size() <= Shape::max_dimensions) {
      result = Dimensions(shape->size() + count->size());
    }
  }
  context.set_output(0, context.element(0), std::move(result));
  keep_elements(context);
}

}  // namespace ortool
