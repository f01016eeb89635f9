// Dynamic time warping row by row (H. Sakoe, S. Chiba, Dynamic Programming Algorithm Optimization
// for Spoken Word Recognition, 1978).
#include "kernels/cpu/search/time_warping.hpp"

#include <algorithm>
#include <limits>

namespace ortool::cpu {

void find_warp_steps(const float* costs, std::int64_t rows, std::int64_t columns,
                     std::uint8_t* steps) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  std::vector<float> above(static_cast<std::size_t>(columns) + 1, infinity);
  std::vector<float> current(above.size());
  above[0] = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    current[0] = infinity;
    for (std::size_t column = 1; column < above.size(); ++column) {
      const float diagonal = above[column - 1];
      const float up = above[column];
      const float left = current[column - 1];
      WarpStep step = WarpStep::column;
      float cost = left;
      if (diagonal < up && diagonal < left) {
        step = WarpStep::diagonal;
        cost = diagonal;
      } else if (up < diagonal && up < left) {
        step = WarpStep::row;
        cost = up;
      }
      current[column] = cost + *costs++;
      *steps++ = static_cast<std::uint8_t>(step);
    }
    std::swap(above, current);
  }
}

std::vector<std::pair<std::int32_t, std::int32_t>> warp_path(const std::uint8_t* steps,
                                                             std::int64_t rows,
                                                             std::int64_t columns) {
  std::vector<std::pair<std::int32_t, std::int32_t>> path;
  std::int64_t row = rows - 1;
  std::int64_t column = columns - 1;
  while (row >= 0 && column >= 0) {
    path.emplace_back(static_cast<std::int32_t>(row), static_cast<std::int32_t>(column));
    const auto step = static_cast<WarpStep>(steps[row * columns + column]);
    if (step != WarpStep::column) --row;
    if (step != WarpStep::row) --column;
  }
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace ortool::cpu
