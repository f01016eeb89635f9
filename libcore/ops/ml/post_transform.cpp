// Parsing of the attribute post_transform.
#include "libcore/ops/ml/post_transform.hpp"

namespace ortool {

PostTransform read_post_transform(AttributeReader& attributes) {
  return attributes.choice("post_transform",
                           {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"},
                           PostTransform::none);
}

}  // namespace ortool
