// TreeEnsemble and its predecessors TreeEnsembleClassifier and TreeEnsembleRegressor.
// https://onnx.ai/onnx/operators/onnx_aionnxml_TreeEnsemble.html,
// …_TreeEnsembleClassifier.html, …_TreeEnsembleRegressor.html
#pragma once

#include <vector>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/ml/post_transform.hpp"
#include "libcore/ops/ml/trees/decision_trees.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// How the votes of the trees for one target are combined.
enum class TreeAggregate { average, sum, smallest, largest };

/// Common part of the three operators. The targets of a classifier are its classes.
struct ForestOp {
  DecisionTrees trees;
  std::int64_t target_count = 1;
  TreeAggregate aggregate = TreeAggregate::sum;
  std::vector<double> base_values;  ///< added to the targets; empty means zeros
  PostTransform post_transform = PostTransform::none;
};

/// Outputs one number for each target; thresholds, weights and input have one type.
struct TreeEnsemble : ForestOp {
  static const OpSchema schema;

  DataType element = DataType::float32;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// Outputs one float32 number for each target.
struct TreeEnsembleRegressor : ForestOp {
  static const OpSchema schema;
  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// Outputs the label of the class with the best score, and all scores.
struct TreeEnsembleClassifier : ForestOp {
  static const OpSchema schema;

  Tensor labels;  ///< int64 or strings

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
