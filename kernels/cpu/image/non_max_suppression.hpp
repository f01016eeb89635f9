// Non-maximum suppression: drops boxes that overlap boxes of higher score.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

struct SuppressionRules {
  bool center_point_box = false;      ///< x, y, width, height; otherwise two corners y, x, y, x
  std::int64_t most = 0;              ///< maximum number of boxes to keep
  float overlap = 0;                  ///< IoU threshold above which a box is dropped
  std::optional<float> lowest_score;  ///< boxes must score higher
};

/// Indices of the kept boxes among `count` (4 coordinates each), best first. Of equal scores the
/// lower index wins; boxes with a NaN score come last.
std::vector<std::int64_t> suppress_overlaps(const SuppressionRules& rules, std::int64_t count,
                                            const float* boxes, const float* scores,
                                            const Workers& workers);

}  // namespace ortool::cpu
