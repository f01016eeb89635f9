// Schema and validation of Scaler.
#include "libcore/ops/ml/scaler.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/ml/attribute_lists.hpp"
#include "libcore/ops/ml/common_types.hpp"
#include "libcore/ops/ml/feature_matrix.hpp"

namespace ortool {

constinit const OpSchema Scaler::schema = {
    "Scaler",
    "ai.onnx.ml",
    {{.since = 1,
      .inputs = {{"X", "T"}},
      .outputs = {{"Y", "tensor(float)"}},
      .attributes = {{"offset", AttributeKind::floats}, {"scale", AttributeKind::floats}},
      .types = {{"T", types::ml_numbers}}}}};

void Scaler::read(AttributeReader& attributes, int) {
  offset = read_floats(attributes, "offset");
  scale = read_floats(attributes, "scale");
  if (scale.empty()) throw Error(ErrorCode::invalid, "attribute 'scale' has no elements");
  check_list_size("offset", offset.size(), scale.size(), "as many as 'scale'");
}

void Scaler::infer(InferContext& context) const {
  if (scale.size() != 1) check_features(context, static_cast<std::int64_t>(scale.size()));
  context.set_output(0, DataType::float32, context.shape(0));
}

}  // namespace ortool
