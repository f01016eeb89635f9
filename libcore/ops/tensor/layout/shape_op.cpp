// Versions of Shape and Size; since 15, Shape can return a range of dimensions.
#include "libcore/ops/tensor/layout/shape_op.hpp"

#include <algorithm>

#include "libcore/ops/shape_rules.hpp"

namespace ortool {
namespace {

constexpr std::initializer_list<AttributeSpec> shape_attributes = {
    {"end", AttributeKind::integer}, {"start", AttributeKind::integer, false, 0}};

std::int64_t clamp_axis(std::int64_t axis, std::int64_t rank) {
  return std::clamp(axis < 0 ? axis + rank : axis, std::int64_t{0}, rank);
}

}  // namespace

constinit const OpSchema ShapeOp::schema = {
    "Shape",
    "",
    {{.since = 1,
      .inputs = {{"data", "T"}},
      .outputs = {{"shape", "T1"}},
      .types = {{"T", types::all_tensors}, {"T1", types::int64_only}}},
     {.since = 13,
      .inputs = {{"data", "T"}},
      .outputs = {{"shape", "T1"}},
      .types = {{"T", types::all_tensors_and_bfloat16}, {"T1", types::int64_only}}},
     {.since = 15,
      .inputs = {{"data", "T"}},
      .outputs = {{"shape", "T1"}},
      .attributes = shape_attributes,
      .types = {{"T", types::all_tensors_and_bfloat16}, {"T1", types::int64_only}}},
     {.since = 19,
      .inputs = {{"data", "T"}},
      .outputs = {{"shape", "T1"}},
      .attributes = shape_attributes,
      .types = {{"T", types::all_tensors_ir9}, {"T1", types::int64_only}}},
     {.since = 21,
      .inputs = {{"data", "T"}},
      .outputs = {{"shape", "T1"}},
      .attributes = shape_attributes,
      .types = {{"T", types::all_tensors_ir10}, {"T1", types::int64_only}}},
     {.since = 23,
      .inputs = {{"data", "T"}},
      .outputs = {{"shape", "T1"}},
      .attributes = shape_attributes,
      .types = {{"T", types::all_tensors_ir11}, {"T1", types::int64_only}}},
     {.since = 24,
      .inputs = {{"data", "T"}},
      .outputs = {{"shape", "T1"}},
      .attributes = shape_attributes,
      .types = {{"T", types::all_tensors_ir12}, {"T1", types::int64_only}}},
     {.since = 25,
      .inputs = {{"data", "T"}},
      .outputs = {{"shape", "T1"}},
      .attributes = shape_attributes,
      .types = {{"T", types::all_tensors_ir13}, {"T1", types::int64_only}}}}};

constinit const OpSchema Size::schema = {
    "Size",
    "",
    {{.since = 1,
      .inputs = {{"data", "T"}},
      .outputs = {{"size", "T1"}},
      .types = {{"T", types::all_tensors}, {"T1", types::int64_only}}},
     {.since = 13,
      .inputs = {{"data", "T"}},
      .outputs = {{"size", "T1"}},
      .types = {{"T", types::all_tensors_and_bfloat16}, {"T1", types::int64_only}}},
     {.since = 19,
      .inputs = {{"data", "T"}},
      .outputs = {{"size", "T1"}},
      .types = {{"T", types::all_tensors_ir9}, {"T1", types::int64_only}}},
     {.since = 21,
      .inputs = {{"data", "T"}},
      .outputs = {{"size", "T1"}},
      .types = {{"T", types::all_tensors_ir10}, {"T1", types::int64_only}}},
     {.since = 23,
      .inputs = {{"data", "T"}},
      .outputs = {{"size", "T1"}},
      .types = {{"T", types::all_tensors_ir11}, {"T1", types::int64_only}}},
     {.since = 24,
      .inputs = {{"data", "T"}},
      .outputs = {{"size", "T1"}},
      .types = {{"T", types::all_tensors_ir12}, {"T1", types::int64_only}}},
     {.since = 25,
      .inputs = {{"data", "T"}},
      .outputs = {{"size", "T1"}},
      .types = {{"T", types::all_tensors_ir13}, {"T1", types::int64_only}}}}};

void ShapeOp::read(AttributeReader& attributes, int) {
  start = attributes.integer("start", 0);
  end = attributes.find_integer("end");
}

ShapeOp::Span ShapeOp::span(std::int64_t rank) const {
  const std::int64_t first = clamp_axis(start, rank);
  return {first, std::max(first, clamp_axis(end.value_or(rank), rank))};
}

void ShapeOp::infer(InferContext& context) const {
  const PartialShape shape = context.shape(0);
  if (!shape) {
    context.set_output(0, DataType::int64, Dimensions(1));
    return;
  }
  const Span part = span(static_cast<std::int64_t>(shape->size()));
  context.set_output(0, DataType::int64, Dimensions{part.last - part.first});
  set_shape_values(context, DataType::int64,
                   Dimensions(shape->begin() + part.first, shape->begin() + part.last));
}

void Size::read(AttributeReader&, int) {}

void Size::infer(InferContext& context) const {
  context.set_output(0, DataType::int64, Dimensions());
  if (const PartialShape shape = context.shape(0))
    set_shape_values(context, DataType::int64, Dimensions{multiply_dimensions(*shape)});
}

}  // namespace ortool
