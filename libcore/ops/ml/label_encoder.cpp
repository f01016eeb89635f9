// Versions of LabelEncoder: 1 maps one list of strings both ways, 2 added keys, 4 added tensors.
#include "libcore/ops/ml/label_encoder.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "libcore/base/format.hpp"
#include "libcore/ops/ml/attribute_lists.hpp"
#include "libcore/ops/ml/category_mapper.hpp"
#include "libcore/ops/ml/common_types.hpp"

namespace ortool {

namespace {

constexpr TypeSet encoded_types_2 = types::ml_labels | types::float32_only;
constexpr TypeSet encoded_types_4 =
    encoded_types_2 | types_of({DataType::float64, DataType::int16, DataType::int32});

Tensor vector_of(std::vector<std::string> strings) {
  const auto count = static_cast<std::int64_t>(strings.size());
  return Tensor::of_strings({count}, std::move(strings));
}
template <typename T>
Tensor vector_of(const std::vector<T>& values) {
  return Tensor::of<T>({static_cast<std::int64_t>(values.size())}, values);
}

/// The only list, of `keys` or of `values`, that is present and not empty.
Tensor read_column(AttributeReader& attributes, std::string_view which) {
  std::vector<Tensor> given;
  if (auto list = attributes.find_strings(format("{}_strings", which)); list && !list->empty())
    given.push_back(vector_of(std::move(*list)));
  if (const auto list = attributes.find_integers(format("{}_int64s", which));
      list && !list->empty())
    given.push_back(vector_of(*list));
  if (const auto list = attributes.find_numbers(format("{}_floats", which)); list && !list->empty())
    given.push_back(vector_of(*list));
  const Tensor tensor = attributes.tensor(format("{}_tensor", which));
  if (!tensor.is_empty()) given.push_back(tensor);
  if (given.size() != 1) {
    throw Error(ErrorCode::invalid, format("{} of the attributes '{}_…' are given (expected one)",
                                           given.size(), which));
  }
  if (given[0].shape().rank() != 1 || !encoded_types_4.contains(given[0].type())) {
    throw Error(ErrorCode::invalid,
                format("attribute '{}_tensor' is {} of shape {} (expected a vector of labels)",
                       which, name_of(given[0].type()), given[0].shape().to_string()));
  }
  return given[0];
}

Tensor read_default(AttributeReader& attributes, DataType type) {
  const Tensor given = attributes.tensor("default_tensor");
  if (!given.is_empty()) {
    if (given.type() != type || given.element_count() != 1) {
      throw Error(ErrorCode::invalid,
                  format("attribute 'default_tensor' is {} of shape {} (expected one {})",
                         name_of(given.type()), given.shape().to_string(), name_of(type)));
    }
    return given.reshaped(Shape{});
  }
  switch (type) {
    case DataType::string:
      return Tensor::of_strings({}, {attributes.string("default_string", "_Unused")});
    case DataType::int64:
      return Tensor::scalar(attributes.integer("default_int64", -1));
    case DataType::int32:
      return Tensor::scalar(std::int32_t{-1});
    case DataType::int16:
      return Tensor::scalar(std::int16_t{-1});
    case DataType::float64:
      return Tensor::scalar(-0.0);
    default:
      return Tensor::scalar(attributes.number("default_float", -0.0F));
  }
}

}  // namespace

constinit const OpSchema LabelEncoder::schema = {
    "LabelEncoder",
    "ai.onnx.ml",
    {{.since = 1,
      .inputs = {{"X", "T1"}},
      .outputs = {{"Y", "T2"}},
      .attributes = {{"classes_strings", AttributeKind::strings},
                     {"default_int64", AttributeKind::integer, false, -1},
                     {"default_string", AttributeKind::string, false, "_Unused"}},
      .types = {{"T1", types::ml_labels}, {"T2", types::ml_labels}}},
     {.since = 2,
      .inputs = {{"X", "T1"}},
      .outputs = {{"Y", "T2"}},
      .attributes = {{"default_float", AttributeKind::float_number, false, -0.0F},
                     {"default_int64", AttributeKind::integer, false, -1},
                     {"default_string", AttributeKind::string, false, "_Unused"},
                     {"keys_floats", AttributeKind::floats},
                     {"keys_int64s", AttributeKind::integers},
                     {"keys_strings", AttributeKind::strings},
                     {"values_floats", AttributeKind::floats},
                     {"values_int64s", AttributeKind::integers},
                     {"values_strings", AttributeKind::strings}},
      .types = {{"T1", types_of({DataType::float32, DataType::int64, DataType::string})},
                {"T2", types_of({DataType::float32, DataType::int64, DataType::string})}}},
     {.since = 4,
      .inputs = {{"X", "T1"}},
      .outputs = {{"Y", "T2"}},
      .attributes = {{"default_float", AttributeKind::float_number, false, -0.0F},
                     {"default_int64", AttributeKind::integer, false, -1},
                     {"default_string", AttributeKind::string, false, "_Unused"},
                     {"default_tensor", AttributeKind::tensor},
                     {"keys_floats", AttributeKind::floats},
                     {"keys_int64s", AttributeKind::integers},
                     {"keys_strings", AttributeKind::strings},
                     {"keys_tensor", AttributeKind::tensor},
                     {"values_floats", AttributeKind::floats},
                     {"values_int64s", AttributeKind::integers},
                     {"values_strings", AttributeKind::strings},
                     {"values_tensor", AttributeKind::tensor}},
      .types = {{"T1", types_of({DataType::float32, DataType::float64, DataType::int16,
                                 DataType::int32, DataType::int64, DataType::string})},
                {"T2", types_of({DataType::float32, DataType::float64, DataType::int16,
                                 DataType::int32, DataType::int64, DataType::string})}}}}};

void LabelEncoder::read(AttributeReader& attributes, int version) {
  works_both_ways = version < 2;
  if (works_both_ways) {
    std::vector<std::string> classes =
        attributes.find_strings("classes_strings").value_or(std::vector<std::string>());
    std::vector<std::int64_t> positions(classes.size());
    for (std::size_t i = 0; i < positions.size(); ++i) positions[i] = static_cast<std::int64_t>(i);
    keys = vector_of(positions);
    values = vector_of(std::move(classes));
    default_key = attributes.integer("default_int64", -1);
  } else {
    keys = read_column(attributes, "keys");
    values = read_column(attributes, "values");
    if (keys.element_count() != values.element_count()) {
      throw Error(ErrorCode::invalid, format("there are {} keys for {} values",
                                             keys.element_count(), values.element_count()));
    }
  }
  default_value = read_default(attributes, values.type());
}

void LabelEncoder::infer(InferContext& context) const {
  const DataType element = context.element(0);
  if (works_both_ways) {
    context.set_output(0, mapped_label_type(element), context.shape(0));
    return;
  }
  if (element != DataType::undefined && element != keys.type()) {
    throw Error(ErrorCode::invalid, format("the input is {}, but the keys are {}", name_of(element),
                                           name_of(keys.type())));
  }
  context.set_output(0, values.type(), context.shape(0));
}

}  // namespace ortool
