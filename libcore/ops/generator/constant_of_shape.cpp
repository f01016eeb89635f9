// Versions of ConstantOfShape, which differ in types only.
#include "libcore/ops/generator/constant_of_shape.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/shape_rules.hpp"
#include "libcore/ops/value_rules.hpp"

namespace ortool {
namespace {

constexpr std::initializer_list<AttributeSpec> constant_of_shape_attributes = {
    {"value", AttributeKind::tensor}};

}  // namespace

constinit const OpSchema ConstantOfShape::schema = {
    "ConstantOfShape",
    "",
    {{.since = 9,
      .inputs = {{"input", "T1"}},
      .outputs = {{"output", "T2"}},
      .attributes = constant_of_shape_attributes,
      .types = {{"T1", types::int64_only}, {"T2", types::boolean_only | types::numbers}}},
     {.since = 20,
      .inputs = {{"input", "T1"}},
      .outputs = {{"output", "T2"}},
      .attributes = constant_of_shape_attributes,
      .types = {{"T1", types::int64_only},
                {"T2", types::all_tensors_ir9 - types::complexes - types_of({DataType::string})}}},
     {.since = 21,
      .inputs = {{"input", "T1"}},
      .outputs = {{"output", "T2"}},
      .attributes = constant_of_shape_attributes,
      .types = {{"T1", types::int64_only},
                {"T2", types::all_tensors_ir10 - types::complexes - types_of({DataType::string})}}},
     {.since = 23,
      .inputs = {{"input", "T1"}},
      .outputs = {{"output", "T2"}},
      .attributes = constant_of_shape_attributes,
      .types = {{"T1", types::int64_only},
                {"T2", types::all_tensors_ir11 - types::complexes - types_of({DataType::string})}}},
     {.since = 24,
      .inputs = {{"input", "T1"}},
      .outputs = {{"output", "T2"}},
      .attributes = constant_of_shape_attributes,
      .types = {{"T1", types::int64_only},
                {"T2", types::all_tensors_ir12 - types::complexes - types_of({DataType::string})}}},
     {.since = 25,
      .inputs = {{"input", "T1"}},
      .outputs = {{"output", "T2"}},
      .attributes = constant_of_shape_attributes,
      .types = {
          {"T1", types::int64_only},
          {"T2", types::all_tensors_ir13 - types::complexes - types_of({DataType::string})}}}}};

void ConstantOfShape::read(AttributeReader& attributes, int version) {
  shape = attributes.integers_or_input("shape", 0);
  value = attributes.has("value") ? attributes.tensor("value") : Tensor::of<float>({1}, {0.0F});
  if (value.element_count() != 1) {
    throw Error(ErrorCode::invalid,
                format("attribute 'value' has {} elements (expected 1)", value.element_count()));
  }
  if (!attributes.version().allowed("T2").contains(value.type())) {
    throw Error(ErrorCode::invalid,
                format("attribute 'value' is {}, which version {} of the operator does not produce",
                       name_of(value.type()), version));
  }
}

void ConstantOfShape::infer(InferContext& context) const {
  std::optional<Dimensions> result;
  if (const auto numbers = known_integers(context, shape)) {
    for (const std::int64_t number : *numbers) {
      if (number < 0) {
        throw Error(ErrorCode::invalid,
                    format("the shape contains {} (expected 0 or more)", number));
      }
    }
    if (numbers->size() > static_cast<std::size_t>(Shape::max_dimensions)) {
      throw Error(ErrorCode::invalid, format("the output would have rank {} (at most {})",
                                             numbers->size(), Shape::max_dimensions));
    }
    result.emplace(numbers->begin(), numbers->end());
  } else {
    result = shape_values(context, 0);
  }
  context.set_output(0, value.type(), result);
  const std::optional<KnownElements> fill = elements_of(value);
  const std::optional<Shape> known = fill ? to_known(result) : std::nullopt;
  if (!known || !are_few(*known)) return;
  set_known_output(context, 0, value.type(),
                   KnownElements(static_cast<std::size_t>(known->element_count()), fill->front()));
}

}  // namespace ortool
