// LinearClassifier and LinearRegressor: products with coefficients.
// https://onnx.ai/onnx/operators/onnx_aionnxml_LinearClassifier.html, …_LinearRegressor.html
#pragma once

#include <vector>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/ml/post_transform.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// A score a row of coefficients and example: their product plus the row's intercept.
struct LinearModel {
  std::int64_t rows = 0;
  std::int64_t features = 0;
  std::vector<float> coefficients;  ///< [rows, features]
  std::vector<float> intercepts;    ///< one a row; empty: zeros
  PostTransform post_transform = PostTransform::none;
};

/// The label with the best score, and the scores.
struct LinearClassifier : LinearModel {
  static const OpSchema schema;

  Tensor labels;                ///< int64 or strings; two of them may share one row, by its sign
  bool is_multinomial = false;  ///< else one against the rest

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// The scores, a row a target.
struct LinearRegressor : LinearModel {
  static const OpSchema schema;
  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
