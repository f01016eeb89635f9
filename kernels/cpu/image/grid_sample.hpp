// Sampling images at positions that a grid gives, and the grids of affine transformations.
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
  std::int64_t positions = 0;    ///< of an image's grid
  std::vector<std::int64_t> in;  ///< of an image, outermost axis first; at most most_axes
  static constexpr std::int64_t most_axes = 5;
};

/// y[n, c, p] = image (n, c) at position p of grid n, whose numbers go along the last axis first,
/// -1 … 1 from one end to the other. `grid_type` is a floating type; `type` any number, or bool for
/// the nearest. Positions that are no numbers lie outside. Images have
/// fewer than 2^31 pixels. Coordinates are worked out in float32
/// (float64 for float64 grids), as others do. Integers are truncated and saturate.
void grid_sample(const GridSampleSizes& sizes, DataType type, const void* x, DataType grid_type,
                 const void* grid, void* y, Isa isa, Workers& workers);

/// grid[n, p] = theta[n] by (the place of pixel p from -1 to 1, 1); theta is axes × (axes + 1) for
/// images of the sizes `image`, outermost axis first. T: float, double.
template <typename T>
void affine_grid(std::int64_t batch, const std::vector<std::int64_t>& image, bool align_corners,
                 const T* theta, T* grid, Workers& workers);

}  // namespace ortool::cpu
