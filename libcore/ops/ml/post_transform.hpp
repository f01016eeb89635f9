// The transform that a classical model applies to its scores before output.
#pragma once

#include "libcore/ops/attribute_reader.hpp"

namespace ortool {

enum class PostTransform {
  none,
  softmax,       ///< exponentials scaled to sum to one
  logistic,      ///< 1 / (1 + e^-x)
  softmax_zero,  ///< softmax over the nonzero elements
  probit,        ///< the inverse of the normal distribution function
};

/// Reads the attribute `post_transform`; NONE when it is absent.
PostTransform read_post_transform(AttributeReader& attributes);

}  // namespace ortool
