// Schema and shape rule of Normalizer.
#include "libcore/ops/ml/normalizer.hpp"

#include "libcore/ops/ml/common_types.hpp"
#include "libcore/ops/ml/feature_matrix.hpp"

namespace ortool {

constinit const OpSchema Normalizer::schema = {
    "Normalizer",
    "ai.onnx.ml",
    {{.since = 1,
      .inputs = {{"X", "T"}},
      .outputs = {{"Y", "tensor(float)"}},
      .attributes = {{"norm", AttributeKind::string, false, "MAX"}},
      .types = {{"T", types::ml_numbers}}}}};

void Normalizer::read(AttributeReader& attributes, int) {
  norm = attributes.choice("norm", {"MAX", "L1", "L2"}, Norm::largest);
}

void Normalizer::infer(InferContext& context) const {
  static_cast<void>(row_count(context));
  context.set_output(0, DataType::float32, context.shape(0));
}

}  // namespace ortool
