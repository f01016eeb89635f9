// Checks of the boxes and scores that detectors pass to non-maximum suppression.
#pragma once

#include <cstdint>

#include "libcore/ops/infer_context.hpp"

namespace ortool {

/// The most detections of an image that an attribute may ask for.
constexpr std::int64_t max_detections = std::int64_t{1} << 31;

/// Throws ErrorCode::invalid unless input 0 may be boxes [N, B, 4] or [N, B, 1 or C, 4] and input 1
/// scores [N, B, C].
void check_detection_operands(const InferContext& context);

}  // namespace ortool
