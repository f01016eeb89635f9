// Reads the three tree-ensemble operators into one common form.
#include "libcore/ops/ml/trees/tree_ensemble.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/ml/attribute_lists.hpp"
#include "libcore/ops/ml/feature_matrix.hpp"
#include "libcore/ops/ml/trees/indexed_trees.hpp"
#include "libcore/ops/ml/trees/listed_trees.hpp"

namespace ortool {
namespace {

std::int64_t read_target_count(AttributeReader& attributes) {
  const std::int64_t count = attributes.integer("n_targets");
  if (count < 1) {
    throw Error(ErrorCode::invalid, format("n_targets is {} (expected at least 1)", count));
  }
  return count;
}

/// An integer attribute that holds the number of an enumerator.
std::int64_t read_number_of_choice(AttributeReader& attributes, std::string_view name,
                                   std::int64_t default_value, std::int64_t last) {
  const std::int64_t number = attributes.integer(name, default_value);
  if (number < 0 || number > last) {
    throw Error(ErrorCode::invalid, format("{} is {} (expected 0 to {})", name, number, last));
  }
  return number;
}

/// Output `index` has one row of targets for each example.
void infer_targets(InferContext& context, std::int64_t index, DataType element,
                   const ForestOp& forest) {
  const Dimension examples = row_count(context);
  check_features_at_least(context, forest.trees.feature_limit);
  context.set_output(index, element, Dimensions{examples, forest.target_count});
}

}  // namespace

void TreeEnsemble::read(AttributeReader& attributes, int) {
  trees = read_indexed_trees(attributes);
  element = attributes.tensor("nodes_splits").type();
  const DataType weights = attributes.tensor("leaf_weights").type();
  if (weights != element) {
    throw Error(ErrorCode::invalid, format("leaf_weights is {}, but nodes_splits is {}",
                                           name_of(weights), name_of(element)));
  }
  target_count = read_target_count(attributes);
  check_votes(trees, target_count);
  aggregate =
      static_cast<TreeAggregate>(read_number_of_choice(attributes, "aggregate_function", 1, 3));
  post_transform =
      static_cast<PostTransform>(read_number_of_choice(attributes, "post_transform", 0, 4));
}

void TreeEnsemble::infer(InferContext& context) const {
  const DataType found = context.element(0);
  if (found != DataType::undefined && found != element) {
    throw Error(ErrorCode::invalid, format("the input is {}, but the tree values are {}",
                                           name_of(found), name_of(element)));
  }
  infer_targets(context, 0, element, *this);
}

void TreeEnsembleRegressor::read(AttributeReader& attributes, int) {
  trees = read_listed_trees(attributes, "target");
  target_count = read_target_count(attributes);
  check_votes(trees, target_count);
  aggregate =
      attributes.choice("aggregate_function", {"AVERAGE", "SUM", "MIN", "MAX"}, TreeAggregate::sum);
  base_values = read_listed_numbers(attributes, "base_values");
  if (!base_values.empty()) {
    check_list_size("base_values", base_values.size(), static_cast<std::size_t>(target_count),
                    "one per target");
  }
  post_transform = read_post_transform(attributes);
}

void TreeEnsembleRegressor::infer(InferContext& context) const {
  infer_targets(context, 0, DataType::float32, *this);
}

void TreeEnsembleClassifier::read(AttributeReader& attributes, int) {
  trees = read_listed_trees(attributes, "class");
  labels = read_labels(attributes, "classlabels_int64s", "classlabels_strings");
  target_count = labels.element_count();
  check_votes(trees, target_count);
  base_values = read_listed_numbers(attributes, "base_values");
  // With two classes, only the second one may have scores.
  const bool is_single = target_count == 2 && base_values.size() == 1;
  if (!base_values.empty() && !is_single) {
    check_list_size("base_values", base_values.size(), static_cast<std::size_t>(target_count),
                    "one per class");
  }
  post_transform = read_post_transform(attributes);
}

void TreeEnsembleClassifier::infer(InferContext& context) const {
  context.set_output(0, labels.type(), Dimensions{row_count(context)});
  infer_targets(context, 1, DataType::float32, *this);
}

}  // namespace ortool
