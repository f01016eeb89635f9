// Detects the layout of an input (NCHW or NHWC) from the first operator with a sliding window.
#pragma once

#include <string>

#include "libcore/graph/node.hpp"

namespace ortool {

struct InputLayout {
  std::string name;    ///< "nchw", "nhwc" or empty
  std::string reason;  ///< names the operator; empty if `name` is
};

/// For an input of rank 4: follows its consumers, through operators that keep or permute axes, to
/// the first convolution or pooling, whose channel axis is the second one. Empty if none is
/// reached, or if the channels do not match the convolution's weights.
InputLayout find_layout(const Value& input);

}  // namespace ortool
