// The names of post transforms.
#include "libcore/ops/ml/post_transform.hpp"

#include "libcore/ops/choice.hpp"

namespace ortool {

PostTransform read_post_transform(AttributeReader& attributes) {
  constexpr std::string_view names[] = {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"};
  return read_choice_as<PostTransform>(attributes, "post_transform", "NONE", names);
}

}  // namespace ortool
