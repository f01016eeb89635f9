// The overlap of rotated boxes (intersection over union).
#pragma once

namespace ortool::cpu {

/// Boxes are center, width, height and angle in radians. 0 for boxes without area.
double rotated_overlap(const float* a, const float* b);

}  // namespace ortool::cpu
