// Schema and shape rule of ArrayFeatureExtractor, which gathers along the last axis.
#include "libcore/ops/ml/array_feature_extractor.hpp"

#include "libcore/base/error.hpp"
#include "libcore/ops/ml/common_types.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {

constinit const OpSchema ArrayFeatureExtractor::schema = {
    "ArrayFeatureExtractor",
    "ai.onnx.ml",
    {{.since = 1,
      .inputs = {{"X", "T"}, {"Y", "tensor(int64)"}},
      .outputs = {{"Z", "T"}},
      .types = {{"T", types::ml_numbers_and_strings}}}}};

void ArrayFeatureExtractor::infer(InferContext& context) const {
  PartialShape shape = context.shape(0);
  if (shape) {
    if (shape->empty()) throw Error(ErrorCode::invalid, "input 0 is a scalar (expected an array)");
    const PartialShape indices = context.shape(1);
    shape->back() = indices ? multiply_dimensions(*indices) : Dimension();
    if (shape->size() == 1) shape->insert(shape->begin(), Dimension(1));
  }
  context.set_output(0, context.element(0), std::move(shape));
}

}  // namespace ortool
