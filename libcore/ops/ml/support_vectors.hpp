// SVMClassifier and SVMRegressor: support vector machines, or linear models without vectors.
// https://onnx.ai/onnx/operators/onnx_aionnxml_SVMClassifier.html, …_SVMRegressor.html
#pragma once

#include <vector>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/ml/post_transform.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// The kernel function of an example x and a support vector v.
struct SupportKernel {
  enum class Type {
    linear,      ///< x v
    polynomial,  ///< (gamma x v + coef0) ^ degree
    radial,      ///< e^(-gamma |x - v|^2)
    sigmoid,     ///< tanh(gamma x v + coef0)
  };
  Type type = Type::linear;
  float gamma = 0;
  float coef0 = 0;
  float degree = 0;
};

/// Without support vectors, the coefficients are those of a linear model.
struct SupportVectorMachine {
  SupportKernel kernel;
  std::int64_t vector_count = 0;
  std::int64_t features = 0;
  std::vector<float> support_vectors;  ///< [vector_count, features]
  std::vector<float> coefficients;
  std::vector<float> rho;
  PostTransform post_transform = PostTransform::none;
};

/// With support vectors, each pair of classes casts a vote for one of the two.
struct SVMClassifier : SupportVectorMachine {
  static const OpSchema schema;

  Tensor labels;  ///< int64 or strings
  /// Support vectors are grouped by class. Coefficients are [classes - 1, vector_count], or without
  /// support vectors [classes, features].
  std::vector<std::int64_t> vectors_per_class;
  /// Parameters of the logistic functions that convert scores to probabilities, one for each pair
  /// of classes; empty: scores are output.
  std::vector<float> probability_a;
  std::vector<float> probability_b;

  /// Columns of the second output: classes, or pairs of classes when more than two classes output
  /// scores.
  std::int64_t score_count() const;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// One score for each example, or its sign if `is_one_class`.
struct SVMRegressor : SupportVectorMachine {
  static const OpSchema schema;

  bool is_one_class = false;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
