// Resizing tensors: each output is a weighted sum of a few inputs along each axis, or one of them.
#pragma once

#include <cstdint>
#include <vector>

#include "libcore/base/parallel/thread_pool.hpp"
#include "libcore/tensor/data_type.hpp"

namespace ortool::cpu {

/// What the outputs along one axis are made of.
struct ResizeAxis {
  std::int64_t in = 1;
  std::int64_t out = 1;
  std::int64_t taps = 1;            ///< inputs an output; 0: outputs are the inputs
  std::vector<std::int32_t> index;  ///< out x taps; -1 first: the output lies outside
  std::vector<float> weight;        ///< out x taps; empty for one tap of weight 1

  bool is_identity() const { return taps == 0; }
};

/// Axes, outermost first, at least one.
struct ResizePlan {
  std::vector<ResizeAxis> axes;
};

/// Every output is one input, of `element_bytes` (1, 2, 4, 8, 16, or for blocks of channels 32 or
/// 64). `outside` is one element.
void resize_nearest(const ResizePlan& plan, std::int64_t element_bytes, const void* in, void* out,
                    const void* outside, Workers& workers);

/// Bytes of workspace for `resize_weighted` run by up to `threads` threads.
std::int64_t resize_workspace_bytes(const ResizePlan& plan, int threads);

/// Weighted sums: in float64 for float64 and integers of 32 and 64 bits, else in float32. Integers
/// are truncated and saturate. The type is a number or a 16-bit float. Taps of weight 0 are not
/// looked at along leading axes, so that NaN stays where it counts. Rows of outputs are computed
/// whole, so that the bits do not depend on the number of threads.
void resize_weighted(const ResizePlan& plan, DataType type, const void* in, void* out,
                     double outside, void* workspace, int threads, Workers& workers);

}  // namespace ortool::cpu
