// The feature matrix that classical models take: one row for each example, or a single row.
#pragma once

#include "libcore/ops/infer_context.hpp"

namespace ortool {

/// The number of examples: the first dimension of a matrix, 1 for a vector. Throws
/// ErrorCode::invalid for other ranks.
Dimension row_count(const InferContext& context, std::int64_t input = 0);

/// The number of features: the last dimension.
Dimension feature_count(const InferContext& context, std::int64_t input = 0);

/// Throws ErrorCode::invalid when the number of features is known and differs from `expected`.
void check_features(const InferContext& context, std::int64_t expected);

/// Throws ErrorCode::invalid when the number of features is known and below `least`.
void check_features_at_least(const InferContext& context, std::int64_t least);

}  // namespace ortool
