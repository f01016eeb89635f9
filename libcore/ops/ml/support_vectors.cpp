// Versions of the support vector machines, and checks that their number lists have matching
// lengths.
#include "libcore/ops/ml/support_vectors.hpp"

#include <utility>

#include "libcore/base/format.hpp"
#include "libcore/ops/ml/attribute_lists.hpp"
#include "libcore/ops/ml/common_types.hpp"
#include "libcore/ops/ml/feature_matrix.hpp"
#include "libcore/tensor/shape.hpp"

namespace ortool {

namespace {

/// Reads the attributes common to both. There must be `rows` x `row_size` coefficients.
void read_machine(AttributeReader& attributes, SupportVectorMachine& machine) {
  SupportKernel& kernel = machine.kernel;
  kernel.type = attributes.choice("kernel_type", {"LINEAR", "POLY", "RBF", "SIGMOID"},
                                  SupportKernel::Type::linear);
  const std::vector<float> parameters = read_floats(attributes, "kernel_params");
  if (!parameters.empty()) {
    check_list_size("kernel_params", parameters.size(), 3, "gamma, coef0 and degree");
    kernel.gamma = parameters[0];
    kernel.coef0 = parameters[1];
    kernel.degree = parameters[2];
  }
  machine.support_vectors = read_floats(attributes, "support_vectors");
  machine.coefficients = read_floats(attributes, "coefficients");
  machine.rho = read_floats(attributes, "rho");
  machine.post_transform = read_post_transform(attributes);
  if (machine.coefficients.empty())
    throw Error(ErrorCode::invalid, "attribute 'coefficients' has no elements");
}

/// The vectors have been counted before. Without support vectors, the kernel is linear whatever the
/// file says.
void set_features(SupportVectorMachine& machine, std::int64_t coefficient_rows,
                  std::string_view what) {
  if (machine.vector_count > 0) {
    machine.features = count_pieces("support_vectors", machine.support_vectors.size(),
                                    machine.vector_count, "support vectors");
    const std::int64_t expected = multiply_sizes(machine.vector_count, coefficient_rows);
    check_list_size("coefficients", machine.coefficients.size(), static_cast<std::size_t>(expected),
                    what);
  } else {
    machine.kernel.type = SupportKernel::Type::linear;
    machine.features =
        count_pieces("coefficients", machine.coefficients.size(), coefficient_rows, what);
  }
}

}  // namespace

constinit const OpSchema SVMClassifier::schema = {
    "SVMClassifier",
    "ai.onnx.ml",
    {{.since = 1,
      .inputs = {{"X", "T1"}},
      .outputs = {{"Y", "T2"}, {"Z", "tensor(float)"}},
      .attributes = {{"classlabels_ints", AttributeKind::integers},
                     {"classlabels_strings", AttributeKind::strings},
                     {"coefficients", AttributeKind::floats},
                     {"kernel_params", AttributeKind::floats},
                     {"kernel_type", AttributeKind::string, false, "LINEAR"},
                     {"post_transform", AttributeKind::string, false, "NONE"},
                     {"prob_a", AttributeKind::floats},
                     {"prob_b", AttributeKind::floats},
                     {"rho", AttributeKind::floats},
                     {"support_vectors", AttributeKind::floats},
                     {"vectors_per_class", AttributeKind::integers}},
      .types = {{"T1", types::ml_numbers}, {"T2", types::ml_labels}}}}};

constinit const OpSchema SVMRegressor::schema = {
    "SVMRegressor",
    "ai.onnx.ml",
    {{.since = 1,
      .inputs = {{"X", "T"}},
      .outputs = {{"Y", "tensor(float)"}},
      .attributes = {{"coefficients", AttributeKind::floats},
                     {"kernel_params", AttributeKind::floats},
                     {"kernel_type", AttributeKind::string, false, "LINEAR"},
                     {"n_supports", AttributeKind::integer, false, 0},
                     {"one_class", AttributeKind::integer, false, 0},
                     {"post_transform", AttributeKind::string, false, "NONE"},
                     {"rho", AttributeKind::floats},
                     {"support_vectors", AttributeKind::floats}},
      .types = {{"T", types::ml_numbers}}}}};

void SVMClassifier::read(AttributeReader& attributes, int) {
  read_machine(attributes, *this);
  labels = read_labels(attributes, "classlabels_ints", "classlabels_strings");
  const std::int64_t classes = labels.element_count();
  vectors_per_class = read_integers(attributes, "vectors_per_class");
  for (const std::int64_t count : vectors_per_class) {
    if (count < 0 || count > static_cast<std::int64_t>(support_vectors.size()) - vector_count) {
      throw Error(
          ErrorCode::invalid,
          format("vectors_per_class contains {}, but there are {} counts of support vectors", count,
                 support_vectors.size()));
    }
    vector_count += count;
  }
  const bool has_vectors = vector_count > 0;
  if (has_vectors) {
    check_list_size("vectors_per_class", vectors_per_class.size(),
                    static_cast<std::size_t>(classes), "one per class");
    set_features(*this, classes - 1, "one per support vector and class, minus one class");
  } else {
    set_features(*this, classes, "classes");
  }
  const std::int64_t pairs = multiply_sizes(classes, classes - 1) / 2;
  if (has_vectors) {
    check_list_size("rho", rho.size(), static_cast<std::size_t>(pairs), "one per pair of classes");
  } else if (rho.empty()) {
    throw Error(ErrorCode::invalid, "attribute 'rho' has no elements");
  }
  probability_a = read_floats(attributes, "prob_a");
  probability_b = read_floats(attributes, "prob_b");
  check_list_size("prob_b", probability_b.size(), probability_a.size(), "as many as prob_a");
  if (!probability_a.empty() && has_vectors) {
    check_list_size("prob_a", probability_a.size(), static_cast<std::size_t>(pairs),
                    "one per pair of classes");
  }
}

std::int64_t SVMClassifier::score_count() const {
  const std::int64_t classes = labels.element_count();
  const bool gives_pairs = vector_count > 0 && probability_a.empty() && classes > 2;
  return gives_pairs ? multiply_sizes(classes, classes - 1) / 2 : classes;
}

void SVMClassifier::infer(InferContext& context) const {
  const Dimension examples = row_count(context);
  check_features(context, features);
  context.set_output(0, labels.type(), Dimensions{examples});
  context.set_output(1, DataType::float32, Dimensions{examples, score_count()});
}

void SVMRegressor::read(AttributeReader& attributes, int) {
  read_machine(attributes, *this);
  vector_count = attributes.integer("n_supports");
  is_one_class = attributes.flag("one_class");
  if (vector_count < 0) {
    throw Error(ErrorCode::invalid, format("n_supports is {} (expected 0 or more)", vector_count));
  }
  set_features(*this, 1, "one per support vector");
  check_list_size("rho", rho.size(), 1, "added to the score");
}

void SVMRegressor::infer(InferContext& context) const {
  const Dimension examples = row_count(context);
  check_features(context, features);
  context.set_output(0, DataType::float32, Dimensions{examples, 1});
}

}  // namespace ortool
