// Schema of DictVectorizer; the map's key type must match the vocabulary's.
#include "libcore/ops/ml/dict_vectorizer.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/ml/attribute_lists.hpp"
#include "libcore/ops/ml/common_types.hpp"

namespace ortool {
namespace {

constexpr TypeSet vectorized_maps =
    types::maps_of_int64_to({DataType::float32, DataType::float64, DataType::string}) |
    types::maps_of_string_to({DataType::float32, DataType::float64, DataType::int64});

}  // namespace

constinit const OpSchema DictVectorizer::schema = {
    "DictVectorizer",
    "ai.onnx.ml",
    {{.since = 1,
      .inputs = {{"X", "T1"}},
      .outputs = {{"Y", "T2"}},
      .attributes = {{"int64_vocabulary", AttributeKind::integers},
                     {"string_vocabulary", AttributeKind::strings}},
      .types = {{"T1", vectorized_maps},
                {"T2", types_of({DataType::float32, DataType::float64, DataType::int64,
                                 DataType::string})}}}}};

void DictVectorizer::read(AttributeReader& attributes, int) {
  vocabulary = read_labels(attributes, "int64_vocabulary", "string_vocabulary");
}

void DictVectorizer::infer(InferContext& context) const {
  const ValueType* map = context.input_type(0);
  const bool is_map = map != nullptr && map->kind == ValueType::Kind::map;
  if (is_map && map->element != DataType::undefined && map->element != vocabulary.type()) {
    throw Error(ErrorCode::invalid, format("the keys of the map are {}, but the vocabulary is {}",
                                           name_of(map->element), name_of(vocabulary.type())));
  }
  const DataType value = is_map && map->inner ? map->inner->element : DataType::undefined;
  context.set_output(0, value, Dimensions{1, vocabulary.element_count()});
}

}  // namespace ortool
