// Reductions over any set of axes: sums, means, products, norms, extremes, logarithms of sums.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/cpu/isa/cpu_features.hpp"
#include "kernels/cpu/reduction/reduce_op.hpp"
#include "libcore/base/parallel/thread_pool.hpp"
#include "libcore/tensor/data_type.hpp"

namespace ortool::cpu {

/// How a reduction walks its input and where it is cut. Made once for a shape.
struct ReducePlan {
  struct Axis {
    std::int64_t size = 1;
    std::int64_t stride = 0;  ///< in elements
  };
  std::vector<Axis> kept;     ///< outermost first, without the innermost `columns`
  std::vector<Axis> reduced;  ///< outermost first, without the innermost `rows`
  std::int64_t rows = 1;      ///< innermost reduced elements, `columns` apart
  std::int64_t columns = 1;   ///< innermost kept elements, next to each other
  std::int64_t groups = 1;    ///< product of the kept sizes
  std::int64_t length = 1;    ///< input elements for each output element
  /// When few output elements are made of much input, the reduced axis `cut` (`rows` when it is
  /// reduced.size()) is cut into parts whose results are put together in order.
  std::int64_t parts = 1;
  std::size_t cut = 0;

  std::int64_t output_count() const { return groups * columns; }
  /// Scratch bytes that reduce() needs.
  std::int64_t workspace_bytes() const;
};

/// The plan for reducing `axes` (rising, each inside the rank) of a tensor of `shape`.
ReducePlan plan_reduction(std::span<const std::int64_t> shape, std::span<const std::int64_t> axes);

/// Reduces `in` to `out`, both of `type`: a float, int32, int64, uint32 or uint64; for the extremes
/// also int8, uint8 and bool. Floats sum up and multiply in float64 and are rounded once; integers
/// wrap, save that norms and logarithms are computed in float64 and means in 64 bits, both
/// truncated toward zero. NaN stays. Of no elements: 0, the product 1, the extremes the ends of the
/// type's range, the mean NaN (an integer's: 0), logarithms -inf. `workspace` has
/// plan.workspace_bytes(), aligned to 64. Work is cut by size, so the bits do not depend on
/// threads.
void reduce(ReduceOp op, DataType type, const void* in, void* out, const ReducePlan& plan,
            void* workspace, Workers& workers, Isa isa);

}  // namespace ortool::cpu
