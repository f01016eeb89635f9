// TreeEnsemble and its two predecessors: what the leaves of many trees say together.
// https://onnx.ai/onnx/operators/onnx_aionnxml_TreeEnsemble.html, …_TreeEnsembleClassifier.html,
// …_TreeEnsembleRegressor.html
#pragma once

#include <vector>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/ml/post_transform.hpp"
#include "libcore/ops/ml/trees/decision_trees.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// How the trees' numbers for one target become one.
enum class TreeAggregate { average, sum, smallest, largest };

/// What the three have in common. Targets of a classifier are its classes.
struct ForestOp {
  DecisionTrees trees;
  std::int64_t target_count = 1;
  TreeAggregate aggregate = TreeAggregate::sum;
  std::vector<double> base_values;  ///< added to the targets; empty: none
  PostTransform post_transform = PostTransform::none;
};

/// Numbers a target; thresholds, weights and input are of one type.
struct TreeEnsemble : ForestOp {
  static const OpSchema schema;

  DataType element = DataType::float32;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// Numbers a target, in float32.
struct TreeEnsembleRegressor : ForestOp {
  static const OpSchema schema;
  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// The label of the class with the best score, and the scores.
struct TreeEnsembleClassifier : ForestOp {
  static const OpSchema schema;

  Tensor labels;  ///< int64 or strings

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
