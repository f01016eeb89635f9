// Experiments that ONNX took back with opset 10, in words of operators that stayed.
#pragma once

#include "libcore/graph/graph.hpp"

namespace ortool::withdrawn {

// Each is an OpsetAdapter, called up to opset 10.

/// Affine becomes Mul by alpha and Add of beta; not of float16, which would be rounded in between.
Node& affine_up(Node& node);
/// Crop becomes Slice; the size of its input must be known, as what is too large is an error of
/// Crop alone.
Node& crop_up(Node& node);
/// ImageScaler becomes Mul by its scale and Add of its bias; not of float16, as above.
Node& image_scaler_up(Node& node);

}  // namespace ortool::withdrawn
