// Resize: each output is one input, or a weighted sum of a few inputs along each axis.
#pragma once

#include <cstdint>
#include <vector>

#include "libcore/base/parallel/thread_pool.hpp"
#include "libcore/tensor/data_type.hpp"

namespace ortool::cpu {

/// Input taps of the outputs along one axis.
struct ResizeAxis {
  std::int64_t in = 1;
  std::int64_t out = 1;
  std::int64_t taps = 1;            ///< inputs per output; 0: identity
  std::vector<std::int32_t> index;  ///< out x taps; first is -1: the output lies outside
  std::vector<float> weight;        ///< out x taps; empty: a single tap of weight 1

  bool is_identity() const { return taps == 0; }
};

/// The axes, outermost first; at least one.
struct ResizePlan {
  std::vector<ResizeAxis> axes;
};

/// Copies one input to each output; elements have `element_bytes` (1, 2, 4, 8, 16, or 32 or 64 for
/// channel blocks). `outside` is one element.
void resize_nearest(const ResizePlan& plan, std::int64_t element_bytes, const void* in, void* out,
                    const void* outside, Workers& workers);

/// Bytes of workspace for `resize_weighted` run by up to `threads` threads.
std::int64_t resize_workspace_bytes(const ResizePlan& plan, int threads);

/// Weighted sums, computed in float64 for float64 and integers of 32 and 64 bits, else in float32.
/// Integers are truncated and saturate. The type is numeric, 16-bit floats included. Taps of weight
/// 0 along leading axes are skipped, so that NaN does not spread. Each row of outputs is computed
/// by one task, so results do not depend on the number of threads.
void resize_weighted(const ResizePlan& plan, DataType type, const void* in, void* out,
                     double outside, void* workspace, int threads, Workers& workers);

}  // namespace ortool::cpu
