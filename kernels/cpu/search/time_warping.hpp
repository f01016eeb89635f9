// Dynamic time warping: the cheapest monotonic path through a matrix of costs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ortool::cpu {

/// Where a path comes from: the point above and to the left, above, or to the left.
enum class WarpStep : std::uint8_t { diagonal, row, column };

/// Fills `steps` [rows, columns] with the step by which the cheapest path reaches each point.
void find_warp_steps(const float* costs, std::int64_t rows, std::int64_t columns,
                     std::uint8_t* steps);
/// The points (row, column) from the first to the last.
std::vector<std::pair<std::int32_t, std::int32_t>> warp_path(const std::uint8_t* steps,
                                                             std::int64_t rows,
                                                             std::int64_t columns);

}  // namespace ortool::cpu
