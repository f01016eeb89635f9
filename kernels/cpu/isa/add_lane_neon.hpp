// Multiply-add by one lane of a vector (NEON), by the number of the lane.
#pragma once

#include <arm_neon.h>

namespace ortool::cpu::neon {

/// sum + columns * factors[lane]; `lane` is known when the loop around it is unrolled.
inline float32x4_t add_lane(float32x4_t sum, float32x4_t columns, float32x4_t factors, int lane) {
  switch (lane) {
    case 0:
      return vfmaq_laneq_f32(sum, columns, factors, 0);
    case 1:
      return vfmaq_laneq_f32(sum, columns, factors, 1);
    case 2:
      return vfmaq_laneq_f32(sum, columns, factors, 2);
    default:
      return vfmaq_laneq_f32(sum, columns, factors, 3);
  }
}

}  // namespace ortool::cpu::neon
