// NCHWc weights of files that ONNX Runtime saved: the size of their blocks, and plain weights.
#pragma once

#include <cstdint>

#include "libcore/graph/graph.hpp"

namespace ortool {

/// Makes the convolutions of com.microsoft.nchwc read plain weights, and pads what ReorderInput
/// reads to whole blocks of channels, so that each of the domain's operators means its namesake on
/// NCHW. Types and shapes must have been inferred. Throws ErrorCode::unsupported if the graph does
/// not show the size of its blocks.
void restore_plain_weights(Graph& graph);

}  // namespace ortool
