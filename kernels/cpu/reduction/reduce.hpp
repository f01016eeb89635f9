// Reductions over any set of axes: sums, means, products, norms, extremes, log-sums.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/cpu/isa/cpu_features.hpp"
#include "kernels/cpu/reduction/reduce_op.hpp"
#include "libcore/base/parallel/thread_pool.hpp"
#include "libcore/tensor/data_type.hpp"

namespace ortool::cpu {

/// How a reduction iterates over its input and where it is split. Made once per shape.
struct ReducePlan {
  struct Axis {
    std::int64_t size = 1;
    std::int64_t stride = 0;  ///< in elements
  };
  std::vector<Axis> kept;     ///< outermost first, except the innermost `columns`
  std::vector<Axis> reduced;  ///< outermost first, except the innermost `rows`
  std::int64_t rows = 1;      ///< innermost reduced elements, with stride `columns`
  std::int64_t columns = 1;   ///< innermost kept elements, contiguous
  std::int64_t groups = 1;    ///< product of the kept sizes
  std::int64_t length = 1;    ///< input elements per output element
  /// If few outputs are computed from much input, the reduced axis `cut` (`rows` if it equals
  /// reduced.size()) is split into parts, whose results are combined in order.
  std::int64_t parts = 1;
  std::size_t cut = 0;

  std::int64_t output_count() const { return groups * columns; }
  /// Bytes of scratch that reduce() needs.
  std::int64_t workspace_bytes() const;
};

/// The plan for reducing `axes` (ascending, each less than the rank) of a tensor of `shape`.
ReducePlan plan_reduction(std::span<const std::int64_t> shape, std::span<const std::int64_t> axes);

/// Reduces `in` to `out`, both of `type`: floating-point, int32, int64, uint32 or uint64; for min
/// and max also int8, uint8 and bool. Floats are accumulated in float64 and rounded once. Integers
/// wrap, except that norms and logarithms are computed in float64 and means in 64 bits, both
/// truncated toward zero. NaN propagates. Over no elements: 0, product 1, min and max the ends of
/// the type's range, mean NaN (integers: 0), logarithms -inf. `workspace` has
/// plan.workspace_bytes(), 64-byte aligned. Work is split by size only, so results do not depend on
/// the number of threads.
void reduce(ReduceOp op, DataType type, const void* in, void* out, const ReducePlan& plan,
            void* workspace, Workers& workers, Isa isa);

}  // namespace ortool::cpu
