// LinearClassifier and LinearRegressor.
// https://onnx.ai/onnx/operators/onnx_aionnxml_LinearClassifier.html, …_LinearRegressor.html
#pragma once

#include <vector>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/ml/post_transform.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// The score of an example for each row: its dot product with the coefficients plus the intercept.
struct LinearModel {
  std::int64_t rows = 0;
  std::int64_t features = 0;
  std::vector<float> coefficients;  ///< [rows, features]
  std::vector<float> intercepts;    ///< one for each row; empty means zeros
  PostTransform post_transform = PostTransform::none;
};

/// Outputs the label with the best score, and all scores.
struct LinearClassifier : LinearModel {
  static const OpSchema schema;

  Tensor labels;                ///< int64 or strings; two may share a row, by its sign
  bool is_multinomial = false;  ///< otherwise one-vs-rest

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// Outputs the scores, one row for each target.
struct LinearRegressor : LinearModel {
  static const OpSchema schema;
  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
