// Where the channels of an input stand, by the operator that first looks at windows of it.
#pragma once

#include <string>

#include "libcore/graph/graph.hpp"

namespace ortool {

struct InputLayout {
  std::string name;    ///< "nchw", "nhwc" or empty
  std::string reason;  ///< names the operator; empty with the name
};

/// For an input of rank 4: follows its readers through what keeps or moves axes to the first
/// convolution or pooling, whose channels stand second. Empty where none is reached, and where the
/// channels do not fit the convolution's weights.
InputLayout find_layout(const Value& input);

}  // namespace ortool
