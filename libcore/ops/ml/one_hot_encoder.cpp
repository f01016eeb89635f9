// Schema and shape rule of OneHotEncoder, which appends an axis for the categories.
#include "libcore/ops/ml/one_hot_encoder.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/ml/attribute_lists.hpp"
#include "libcore/ops/ml/common_types.hpp"

namespace ortool {

constinit const OpSchema OneHotEncoder::schema = {
    "OneHotEncoder",
    "ai.onnx.ml",
    {{.since = 1,
      .inputs = {{"X", "T"}},
      .outputs = {{"Y", "tensor(float)"}},
      .attributes = {{"cats_int64s", AttributeKind::integers},
                     {"cats_strings", AttributeKind::strings},
                     {"zeros", AttributeKind::integer, false, 1}},
      .types = {{"T", types::ml_numbers_and_strings}}}}};

void OneHotEncoder::read(AttributeReader& attributes, int) {
  categories = read_labels(attributes, "cats_int64s", "cats_strings");
  takes_unknown = attributes.flag("zeros", true);
}

void OneHotEncoder::infer(InferContext& context) const {
  const DataType element = context.element(0);
  const bool is_string = categories.type() == DataType::string;
  if (element != DataType::undefined && (element == DataType::string) != is_string) {
    throw Error(ErrorCode::invalid, format("the input is {}, but the categories are {}",
                                           name_of(element), name_of(categories.type())));
  }
  PartialShape shape = context.shape(0);
  if (shape) shape->push_back(categories.element_count());
  context.set_output(0, DataType::float32, std::move(shape));
}

}  // namespace ortool
