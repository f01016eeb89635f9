// Row and column counts of a feature matrix, which may be given as a vector.
#include "libcore/ops/ml/feature_matrix.hpp"

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/ops/operand_checks.hpp"

namespace ortool {

Dimension row_count(const InferContext& context, std::int64_t input) {
  const PartialShape shape = context.shape(input);
  if (!shape) return {};
  if (shape->empty() || shape->size() > 2) {
    throw Error(ErrorCode::invalid,
                format("input {} has the shape {} (expected a matrix or a vector)", input,
                       to_string(shape)));
  }
  return shape->size() == 2 ? shape->front() : Dimension(1);
}

Dimension feature_count(const InferContext& context, std::int64_t input) {
  const PartialShape shape = context.shape(input);
  return shape && !shape->empty() ? shape->back() : Dimension();
}

void check_features(const InferContext& context, std::int64_t expected) {
  check_dimension("the number of features", feature_count(context), expected);
}

void check_features_at_least(const InferContext& context, std::int64_t least) {
  const Dimension features = feature_count(context);
  if (!features.is_known() || features.number() >= least) return;
  throw Error(ErrorCode::invalid,
              format("the input has {} features (expected at least {})", features.number(), least));
}

}  // namespace ortool
