// Opset adapters of operators withdrawn with opset 10, decomposed to operators that remain.
#pragma once

#include "libcore/graph/node.hpp"

namespace ortool::withdrawn {

// Each is an OpsetAdapter, called up to opset 10.

/// Affine becomes Mul by alpha and Add of beta; not for float16, where the product would be
/// rounded.
Node& affine_up(Node& node);
/// Crop becomes Slice; the input size must be known, since only Crop rejects sizes that are too
/// large.
Node& crop_up(Node& node);
/// ImageScaler becomes Mul by its scale and Add of its bias; not for float16, as above.
Node& image_scaler_up(Node& node);

}  // namespace ortool::withdrawn
