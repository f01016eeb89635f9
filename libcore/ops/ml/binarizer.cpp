// Schema and shape rule of Binarizer.
#include "libcore/ops/ml/binarizer.hpp"

#include "libcore/ops/ml/common_types.hpp"

namespace ortool {

constinit const OpSchema Binarizer::schema = {
    "Binarizer",
    "ai.onnx.ml",
    {{.since = 1,
      .inputs = {{"X", "T"}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"threshold", AttributeKind::float_number, false, 0.0F}},
      .types = {{"T", types::ml_numbers}}}}};

void Binarizer::read(AttributeReader& attributes, int) {
  threshold = attributes.number("threshold");
}

void Binarizer::infer(InferContext& context) const {
  context.set_output(0, context.element(0), context.shape(0));
}

}  // namespace ortool
