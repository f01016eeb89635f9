// GridSample (sampling images at given positions) and AffineGrid.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/cpu/isa/cpu_features.hpp"
#include "libcore/base/parallel/thread_pool.hpp"
#include "libcore/tensor/data_type.hpp"

namespace ortool::cpu {

enum class SampleMode { linear, nearest, cubic };
enum class SamplePadding { zeros, border, reflection };

struct GridSampleSizes {
  SampleMode mode = SampleMode::linear;
  SamplePadding padding = SamplePadding::zeros;
  bool align_corners = false;
  std::int64_t batch = 0;
  std::int64_t channels = 0;
  std::int64_t positions = 0;    ///< per image
  std::vector<std::int64_t> in;  ///< of an image, outermost axis first; at most max_axes
  static constexpr std::int64_t max_axes = 5;
};

/// y[n, c, p] = image (n, c) at position p of grid n, whose coordinates start with the last axis
/// and run from -1 to 1 over its length. `grid_type` is a floating-point type; `type` is any
/// numeric type, or bool for nearest. NaN positions count as outside. Images have fewer than 2^31
/// pixels. Coordinates are computed in float32 (float64 for float64 grids), as in other runtimes.
/// Integers are truncated and saturate.
void grid_sample(const GridSampleSizes& sizes, DataType type, const void* x, DataType grid_type,
                 const void* grid, void* y, Isa isa, Workers& workers);

/// grid[n, p] = theta[n] × (coordinates of pixel p from -1 to 1, 1); theta is axes × (axes + 1) for
/// images of sizes `image`, outermost axis first. T: float, double.
template <typename T>
void affine_grid(std::int64_t batch, const std::vector<std::int64_t>& image, bool align_corners,
                 const T* theta, T* grid, Workers& workers);

}  // namespace ortool::cpu
