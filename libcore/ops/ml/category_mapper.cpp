// Schema and validation of CategoryMapper.
#include "libcore/ops/ml/category_mapper.hpp"

#include <utility>

#include "libcore/ops/ml/attribute_lists.hpp"
#include "libcore/ops/ml/common_types.hpp"

namespace ortool {

constinit const OpSchema CategoryMapper::schema = {
    "CategoryMapper",
    "ai.onnx.ml",
    {{.since = 1,
      .inputs = {{"X", "T1"}},
      .outputs = {{"Y", "T2"}},
      .attributes = {{"cats_int64s", AttributeKind::integers},
                     {"cats_strings", AttributeKind::strings},
                     {"default_int64", AttributeKind::integer, false, -1},
                     {"default_string", AttributeKind::string, false, "_Unused"}},
      .types = {{"T1", types::ml_labels}, {"T2", types::ml_labels}}}}};

void CategoryMapper::read(AttributeReader& attributes, int) {
  integers = read_integers(attributes, "cats_int64s");
  strings = attributes.find_strings("cats_strings").value_or(std::vector<std::string>());
  check_list_size("cats_strings", strings.size(), integers.size(), "one for each of cats_int64s");
  default_integer = attributes.integer("default_int64", -1);
  default_string = attributes.string("default_string", "_Unused");
}

void CategoryMapper::infer(InferContext& context) const {
  context.set_output(0, mapped_label_type(context.element(0)), context.shape(0));
}

DataType mapped_label_type(DataType input) {
  if (input == DataType::undefined) return input;
  return input == DataType::string ? DataType::int64 : DataType::string;
}

}  // namespace ortool
