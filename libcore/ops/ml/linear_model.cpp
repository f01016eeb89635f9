// Versions of the linear models, and checks that their number lists have matching lengths.
#include "libcore/ops/ml/linear_model.hpp"

#include <utility>

#include "libcore/base/format.hpp"
#include "libcore/ops/ml/attribute_lists.hpp"
#include "libcore/ops/ml/common_types.hpp"
#include "libcore/ops/ml/feature_matrix.hpp"

namespace ortool {

namespace {

/// Reads `rows` rows of coefficients and intercepts.
void read_rows(AttributeReader& attributes, LinearModel& model) {
  if (model.coefficients.empty())
    throw Error(ErrorCode::invalid, "attribute 'coefficients' has no elements");
  model.features =
      count_pieces("coefficients", model.coefficients.size(), model.rows, "rows of coefficients");
  if (!model.intercepts.empty()) {
    check_list_size("intercepts", model.intercepts.size(), static_cast<std::size_t>(model.rows),
                    "one per row of coefficients");
  }
  model.post_transform = read_post_transform(attributes);
}

}  // namespace

constinit const OpSchema LinearClassifier::schema = {
    "LinearClassifier",
    "ai.onnx.ml",
    {{.since = 1,
      .inputs = {{"X", "T1"}},
      .outputs = {{"Y", "T2"}, {"Z", "tensor(float)"}},
      .attributes = {{"classlabels_ints", AttributeKind::integers},
                     {"classlabels_strings", AttributeKind::strings},
                     {"coefficients", AttributeKind::floats, true},
                     {"intercepts", AttributeKind::floats},
                     {"multi_class", AttributeKind::integer, false, 0},
                     {"post_transform", AttributeKind::string, false, "NONE"}},
      .types = {{"T1", types::ml_numbers}, {"T2", types::ml_labels}}}}};

constinit const OpSchema LinearRegressor::schema = {
    "LinearRegressor",
    "ai.onnx.ml",
    {{.since = 1,
      .inputs = {{"X", "T"}},
      .outputs = {{"Y", "tensor(float)"}},
      .attributes = {{"coefficients", AttributeKind::floats},
                     {"intercepts", AttributeKind::floats},
                     {"post_transform", AttributeKind::string, false, "NONE"},
                     {"targets", AttributeKind::integer, false, 1}},
      .types = {{"T", types::ml_numbers}}}}};

void LinearClassifier::read(AttributeReader& attributes, int) {
  labels = read_labels(attributes, "classlabels_ints", "classlabels_strings");
  is_multinomial = attributes.flag("multi_class");
  coefficients = read_floats(attributes, "coefficients");
  intercepts = read_floats(attributes, "intercepts");
  const std::int64_t classes = labels.element_count();
  rows = intercepts.empty() ? classes : static_cast<std::int64_t>(intercepts.size());
  if (rows != classes && !(rows == 1 && classes == 2)) {
    throw Error(ErrorCode::invalid,
                format("there are {} intercepts for {} classes", rows, classes));
  }
  read_rows(attributes, *this);
}

void LinearClassifier::infer(InferContext& context) const {
  const Dimension examples = row_count(context);
  check_features(context, features);
  context.set_output(0, labels.type(), Dimensions{examples});
  context.set_output(1, DataType::float32, Dimensions{examples, labels.element_count()});
}

void LinearRegressor::read(AttributeReader& attributes, int) {
  rows = attributes.integer("targets", 1);
  coefficients = read_floats(attributes, "coefficients");
  intercepts = read_floats(attributes, "intercepts");
  read_rows(attributes, *this);
}

void LinearRegressor::infer(InferContext& context) const {
  const Dimension examples = row_count(context);
  check_features(context, features);
  context.set_output(0, DataType::float32, Dimensions{examples, rows});
}

}  // namespace ortool
