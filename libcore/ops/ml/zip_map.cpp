// Schema and type rule of ZipMap.
#include "libcore/ops/ml/zip_map.hpp"

#include "libcore/ops/ml/attribute_lists.hpp"
#include "libcore/ops/ml/feature_matrix.hpp"

namespace ortool {

constinit const OpSchema ZipMap::schema = {
    "ZipMap",
    "ai.onnx.ml",
    {{.since = 1,
      .inputs = {{"X", "tensor(float)"}},
      .outputs = {{"Z", "T"}},
      .attributes = {{"classlabels_int64s", AttributeKind::integers},
                     {"classlabels_strings", AttributeKind::strings}},
      .types = {{"T", types::sequences_of(types::maps_of_int64_to({DataType::float32}) |
                                          types::maps_of_string_to({DataType::float32}))}}}}};

void ZipMap::read(AttributeReader& attributes, int) {
  labels = read_labels(attributes, "classlabels_int64s", "classlabels_strings");
}

void ZipMap::infer(InferContext& context) const {
  static_cast<void>(row_count(context));
  check_features(context, labels.element_count());
  if (!context.has_output(0)) return;
  context.set_output_type(0, ValueType::sequence(ValueType::map(labels.type(), DataType::float32)));
}

}  // namespace ortool
