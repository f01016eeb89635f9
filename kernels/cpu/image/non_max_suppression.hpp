// The boxes that are left when those that overlap better ones are dropped.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

struct SuppressionRules {
  bool center_point_box = false;      ///< x, y, width, height; else two corners y, x, y, x
  std::int64_t most = 0;              ///< boxes that may be left
  float overlap = 0;                  ///< boxes that share more of their union are dropped
  std::optional<float> lowest_score;  ///< only boxes with more count
};

/// Indices of the boxes left of `count` (4 numbers each), best first; of equal scores the lower
/// index is better, and boxes whose score is no number are worst.
std::vector<std::int64_t> suppress_overlaps(const SuppressionRules& rules, std::int64_t count,
                                            const float* boxes, const float* scores,
                                            const Workers& workers);

}  // namespace ortool::cpu
