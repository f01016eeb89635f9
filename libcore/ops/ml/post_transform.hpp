// What becomes of the scores of a classical model before they are given out.
#pragma once

#include "libcore/ops/attribute_reader.hpp"

namespace ortool {

enum class PostTransform {
  none,
  softmax,       ///< exponentials scaled to sum to one
  logistic,      ///< 1 / (1 + e^-x)
  softmax_zero,  ///< softmax of what is not zero
  probit,        ///< the inverse of the normal distribution function
};

/// The attribute `post_transform` by name, NONE when not given.
PostTransform read_post_transform(AttributeReader& attributes);

}  // namespace ortool
