// Schemas and shape rules of ConstantFill and GivenTensorFill.
#include "libcore/ops/experimental/fill.hpp"

#include <utility>

#include "libcore/base/format.hpp"
#include "libcore/ops/shape_rules.hpp"
#include "libcore/ops/value_or.hpp"

namespace ortool {

namespace {

constexpr TypeSet filled_types =
    types_of({DataType::float32, DataType::int32, DataType::int64, DataType::boolean});

/// Throws ErrorCode::invalid for negative sizes and for products that are too large.
void check_sizes(const std::vector<std::int64_t>& sizes) {
  static_cast<void>(Shape(sizes).element_count());
}

FillShape read_fill(AttributeReader& attributes) {
  FillShape fill;
  fill.shape = attributes.find_integers("shape");
  fill.more = attributes.find_integers("extra_shape").value_or(std::vector<std::int64_t>());
  fill.is_input_value = attributes.flag("input_as_shape");
  if (fill.shape) check_sizes(*fill.shape);
  check_sizes(fill.more);
  const bool has_input = attributes.node().input(0) != nullptr;
  if (fill.shape.has_value() == has_input) {
    throw Error(ErrorCode::invalid,
                has_input
                    ? "both an input and attribute 'shape' are given (expected one of them)"
                    : "neither an input nor attribute 'shape' is given (expected one of them)");
  }
  return fill;
}

}  // namespace

constinit const OpSchema ConstantFill::schema = {
    "ConstantFill",
    "",
    {{.since = 1,
      .inputs = {{"input", "T1", Formal::Count::optional}},
      .outputs = {{"output", "T2"}},
      .attributes = {{"dtype", AttributeKind::integer, false, 1},
                     {"extra_shape", AttributeKind::integers},
                     {"input_as_shape", AttributeKind::integer},
                     {"shape", AttributeKind::integers},
                     {"value", AttributeKind::float_number, false, 0.0F}},
      .types = {{"T1", filled_types}, {"T2", filled_types}}}}};

constinit const OpSchema GivenTensorFill::schema = {
    "GivenTensorFill",
    "",
    {{.since = 1,
      .inputs = {{"shape", "T", Formal::Count::optional}},
      .outputs = {{"X", "T"}},
      .attributes = {{"extra_shape", AttributeKind::integers},
                     {"input_as_shape", AttributeKind::integer},
                     {"shape", AttributeKind::integers},
                     {"values", AttributeKind::floats}},
      .types = {{"T", types::high_floats}}}}};

PartialShape FillShape::infer(const InferContext& context) const {
  if (shape) return Dimensions(shape->begin(), shape->end());
  PartialShape result = is_input_value ? shape_values(context, 0) : context.shape(0);
  if (result) result->insert(result->end(), more.begin(), more.end());
  return result;
}

void ConstantFill::read(AttributeReader& attributes, int) {
  fill = read_fill(attributes);
  value = attributes.number("value");
  const std::int64_t number = attributes.integer("dtype", 1);
  const bool is_type = number > 0 && number < data_type_count;
  if (!is_type || !filled_types.contains(static_cast<DataType>(number))) {
    throw Error(ErrorCode::invalid,
                format("dtype is {} (expected that of float32, int32, int64 or bool)", number));
  }
  element = static_cast<DataType>(number);
}

void ConstantFill::infer(InferContext& context) const {
  context.set_output(0, element, fill.infer(context));
}

void GivenTensorFill::read(AttributeReader& attributes, int) {
  fill = read_fill(attributes);
  values = attributes.find_numbers("values").value_or(std::vector<float>());
  const std::int64_t wanted = fill.shape ? Shape(*fill.shape).element_count() : -1;
  if (wanted >= 0 && wanted != static_cast<std::int64_t>(values.size())) {
    throw Error(ErrorCode::invalid,
                format("there are {} values for {} elements", values.size(), wanted));
  }
}

void GivenTensorFill::infer(InferContext& context) const {
  const DataType element = context.element(0);
  context.set_output(0, element == DataType::undefined ? DataType::float32 : element,
                     fill.infer(context));
}

}  // namespace ortool
