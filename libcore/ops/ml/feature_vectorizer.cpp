// Schema and shape rule of FeatureVectorizer: the output's columns are the sum of the inputs'.
#include "libcore/ops/ml/feature_vectorizer.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/ml/attribute_lists.hpp"
#include "libcore/ops/ml/common_types.hpp"
#include "libcore/ops/ml/feature_matrix.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {

constinit const OpSchema FeatureVectorizer::schema = {
    "FeatureVectorizer",
    "ai.onnx.ml",
    {{.since = 1,
      .inputs = {{"X", "T1", Formal::Count::variadic}},
      .outputs = {{"Y", "tensor(float)"}},
      .attributes = {{"inputdimensions", AttributeKind::integers}},
      .types = {{"T1", types::ml_numbers}}}}};

void FeatureVectorizer::read(AttributeReader& attributes, int) {
  widths = read_integers(attributes, "inputdimensions");
  if (widths.empty()) return;
  check_list_size("inputdimensions", widths.size(),
                  static_cast<std::size_t>(attributes.node().input_count()), "one per input");
  for (const std::int64_t width : widths) {
    if (width >= 0) continue;
    throw Error(ErrorCode::invalid, format("inputdimensions holds {} (expected 0 or more)", width));
  }
}

void FeatureVectorizer::infer(InferContext& context) const {
  Dimension rows;
  Dimension columns(0);
  for (std::int64_t i = 0; i < context.input_count(); ++i) {
    rows = merge_dimensions(rows, row_count(context, i));
    const Dimension width =
        widths.empty() ? feature_count(context, i) : Dimension(widths[static_cast<std::size_t>(i)]);
    columns = combine_dimensions(DimensionOp::add, columns, width);
  }
  context.set_output(0, DataType::float32, Dimensions{rows, columns});
}

}  // namespace ortool
